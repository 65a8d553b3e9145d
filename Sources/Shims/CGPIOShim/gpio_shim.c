#include "CGPIOShim.h"

#include <dirent.h>
#include <errno.h>
#include <gpiod.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libgpiod 2 renamed and removed nearly everything; this name is in version 1 only. */
#if defined(GPIOD_LINE_BULK_MAX_LINES)
#define HAS_VERSION_1 1
#else
#define HAS_VERSION_1 0
#endif

/* The kernel keeps at most this many changes of one line in version 2 of its interface, and 16 in version 1. */
enum { QUEUE_LENGTH = 1024, QUEUE_LENGTH_1 = 16 };

static const char consumer[] = "pinhole";

static bool is_readable(int descriptor) {
    struct pollfd wait = {.fd = descriptor, .events = POLLIN};
    return poll(&wait, 1, 0) > 0;
}

static int is_chip(const struct dirent *entry) { return strncmp(entry->d_name, "gpiochip", 8) == 0; }

#if HAS_VERSION_1

struct pinhole_gpio_line {
    struct gpiod_chip *chip;
    struct gpiod_line *line;
};

const char *pinhole_gpio_version(void) { return gpiod_version_string(); }

static bool find_on(const char *path, const char *name, unsigned int *offset) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip)
        return false;
    struct gpiod_line *line = gpiod_chip_find_line(chip, name);
    if (line)
        *offset = gpiod_line_offset(line);
    gpiod_chip_close(chip);
    return line;
}

static pinhole_gpio_line *open_line(const char *path, unsigned int offset) {
    pinhole_gpio_line *line = calloc(1, sizeof *line);
    if (!line)
        return NULL;
    line->chip = gpiod_chip_open(path);
    line->line = line->chip ? gpiod_chip_get_line(line->chip, offset) : NULL;
    if (line->line)
        return line;
    int reason = errno;
    pinhole_gpio_close(line);
    errno = reason;
    return NULL;
}

pinhole_gpio_line *pinhole_gpio_open_input(const char *chip, unsigned int offset, bool is_active_low,
                                           pinhole_gpio_bias bias) {
    pinhole_gpio_line *line = open_line(chip, offset);
    if (!line)
        return NULL;
    int flags = is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    switch (bias) {
    case PINHOLE_GPIO_BIAS_AS_IS:
        break;
    case PINHOLE_GPIO_BIAS_DISABLED:
        flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_DISABLE;
        break;
    case PINHOLE_GPIO_BIAS_PULL_UP:
        flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_UP;
        break;
    case PINHOLE_GPIO_BIAS_PULL_DOWN:
        flags |= GPIOD_LINE_REQUEST_FLAG_BIAS_PULL_DOWN;
        break;
    }
    if (gpiod_line_request_both_edges_events_flags(line->line, consumer, flags) == 0)
        return line;
    int reason = errno;
    pinhole_gpio_close(line);
    errno = reason;
    return NULL;
}

pinhole_gpio_line *pinhole_gpio_open_output(const char *chip, unsigned int offset, bool is_active_low) {
    pinhole_gpio_line *line = open_line(chip, offset);
    if (!line)
        return NULL;
    int flags = is_active_low ? GPIOD_LINE_REQUEST_FLAG_ACTIVE_LOW : 0;
    if (gpiod_line_request_output_flags(line->line, consumer, flags, 0) == 0)
        return line;
    int reason = errno;
    pinhole_gpio_close(line);
    errno = reason;
    return NULL;
}

void pinhole_gpio_close(pinhole_gpio_line *line) {
    if (line->line)
        gpiod_line_release(line->line);
    if (line->chip)
        gpiod_chip_close(line->chip);
    free(line);
}

int pinhole_gpio_descriptor(const pinhole_gpio_line *line) { return gpiod_line_event_get_fd(line->line); }

int pinhole_gpio_read(pinhole_gpio_line *line, pinhole_gpio_edge *edges, size_t capacity, bool *did_lose) {
    *did_lose = false;
    if (capacity == 0 || !is_readable(pinhole_gpio_descriptor(line)))
        return 0;
    struct gpiod_line_event events[QUEUE_LENGTH_1];
    unsigned int room = capacity < QUEUE_LENGTH_1 ? (unsigned int)capacity : QUEUE_LENGTH_1;
    int count = gpiod_line_event_read_fd_multiple(pinhole_gpio_descriptor(line), events, room);
    for (int i = 0; i < count; i++) {
        edges[i].time = (int64_t)events[i].ts.tv_sec * 1000000000 + events[i].ts.tv_nsec;
        edges[i].is_active = events[i].event_type == GPIOD_LINE_EVENT_RISING_EDGE;
    }
    /* This interface drops the newest without a sign; a full queue may have dropped some. */
    *did_lose = count == QUEUE_LENGTH_1;
    return count;
}

int pinhole_gpio_level(pinhole_gpio_line *line) { return gpiod_line_get_value(line->line); }

bool pinhole_gpio_set(pinhole_gpio_line *line, bool is_active) {
    return gpiod_line_set_value(line->line, is_active) == 0;
}

#else

struct pinhole_gpio_line {
    struct gpiod_line_request *request;
    struct gpiod_edge_event_buffer *events;
    unsigned int offset;
    /* Number of the last reported change; the kernel counts them from 1, dropped ones too. */
    unsigned long last;
};

const char *pinhole_gpio_version(void) { return gpiod_api_version(); }

static bool find_on(const char *path, const char *name, unsigned int *offset) {
    struct gpiod_chip *chip = gpiod_chip_open(path);
    if (!chip)
        return false;
    int found = gpiod_chip_get_line_offset_from_name(chip, name);
    if (found >= 0)
        *offset = (unsigned int)found;
    gpiod_chip_close(chip);
    return found >= 0;
}

/* Asks for one line with the settings given, which it frees. */
static pinhole_gpio_line *open_line(const char *path, unsigned int offset, struct gpiod_line_settings *settings) {
    pinhole_gpio_line *line = calloc(1, sizeof *line);
    struct gpiod_line_config *lines = gpiod_line_config_new();
    struct gpiod_request_config *config = gpiod_request_config_new();
    struct gpiod_chip *chip = gpiod_chip_open(path);
    int reason = errno;
    if (line && lines && config && chip && settings) {
        line->offset = offset;
        gpiod_request_config_set_consumer(config, consumer);
        gpiod_request_config_set_event_buffer_size(config, QUEUE_LENGTH);
        if (gpiod_line_config_add_line_settings(lines, &offset, 1, settings) == 0) {
            line->request = gpiod_chip_request_lines(chip, config, lines);
        }
        reason = errno;
        if (line->request)
            line->events = gpiod_edge_event_buffer_new(QUEUE_LENGTH);
    }
    if (chip)
        gpiod_chip_close(chip);
    if (config)
        gpiod_request_config_free(config);
    if (lines)
        gpiod_line_config_free(lines);
    if (settings)
        gpiod_line_settings_free(settings);
    if (line && line->request && line->events)
        return line;
    if (line)
        pinhole_gpio_close(line);
    errno = reason;
    return NULL;
}

pinhole_gpio_line *pinhole_gpio_open_input(const char *chip, unsigned int offset, bool is_active_low,
                                           pinhole_gpio_bias bias) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings)
        return NULL;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_INPUT);
    gpiod_line_settings_set_edge_detection(settings, GPIOD_LINE_EDGE_BOTH);
    gpiod_line_settings_set_event_clock(settings, GPIOD_LINE_CLOCK_MONOTONIC);
    gpiod_line_settings_set_active_low(settings, is_active_low);
    switch (bias) {
    case PINHOLE_GPIO_BIAS_AS_IS:
        break;
    case PINHOLE_GPIO_BIAS_DISABLED:
        gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_DISABLED);
        break;
    case PINHOLE_GPIO_BIAS_PULL_UP:
        gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_UP);
        break;
    case PINHOLE_GPIO_BIAS_PULL_DOWN:
        gpiod_line_settings_set_bias(settings, GPIOD_LINE_BIAS_PULL_DOWN);
        break;
    }
    return open_line(chip, offset, settings);
}

pinhole_gpio_line *pinhole_gpio_open_output(const char *chip, unsigned int offset, bool is_active_low) {
    struct gpiod_line_settings *settings = gpiod_line_settings_new();
    if (!settings)
        return NULL;
    gpiod_line_settings_set_direction(settings, GPIOD_LINE_DIRECTION_OUTPUT);
    gpiod_line_settings_set_active_low(settings, is_active_low);
    gpiod_line_settings_set_output_value(settings, GPIOD_LINE_VALUE_INACTIVE);
    return open_line(chip, offset, settings);
}

void pinhole_gpio_close(pinhole_gpio_line *line) {
    if (line->events)
        gpiod_edge_event_buffer_free(line->events);
    if (line->request)
        gpiod_line_request_release(line->request);
    free(line);
}

int pinhole_gpio_descriptor(const pinhole_gpio_line *line) { return gpiod_line_request_get_fd(line->request); }

int pinhole_gpio_read(pinhole_gpio_line *line, pinhole_gpio_edge *edges, size_t capacity, bool *did_lose) {
    *did_lose = false;
    if (capacity == 0 || !is_readable(pinhole_gpio_descriptor(line)))
        return 0;
    size_t room = capacity < QUEUE_LENGTH ? capacity : QUEUE_LENGTH;
    int count = gpiod_line_request_read_edge_events(line->request, line->events, room);
    for (int i = 0; i < count; i++) {
        struct gpiod_edge_event *event = gpiod_edge_event_buffer_get_event(line->events, (unsigned long)i);
        edges[i].time = (int64_t)gpiod_edge_event_get_timestamp_ns(event);
        edges[i].is_active = gpiod_edge_event_get_event_type(event) == GPIOD_EDGE_EVENT_RISING_EDGE;
        unsigned long number = gpiod_edge_event_get_line_seqno(event);
        if (line->last != 0 && number != line->last + 1)
            *did_lose = true;
        line->last = number;
    }
    return count;
}

int pinhole_gpio_level(pinhole_gpio_line *line) { return gpiod_line_request_get_value(line->request, line->offset); }

bool pinhole_gpio_set(pinhole_gpio_line *line, bool is_active) {
    enum gpiod_line_value value = is_active ? GPIOD_LINE_VALUE_ACTIVE : GPIOD_LINE_VALUE_INACTIVE;
    return gpiod_line_request_set_value(line->request, line->offset, value) == 0;
}

#endif

bool pinhole_gpio_find(const char *name, char *chip, size_t size, unsigned int *offset) {
    struct dirent **entries = NULL;
    int count = scandir("/dev", &entries, is_chip, alphasort);
    bool is_found = false;
    // A line may be on a chip that cannot be opened.
    int reason = ENOENT;
    for (int i = 0; i < count; i++) {
        char path[64];
        int length = snprintf(path, sizeof path, "/dev/%s", entries[i]->d_name);
        errno = 0;
        if (!is_found && length > 0 && (size_t)length < sizeof path && (size_t)length < size &&
            find_on(path, name, offset)) {
            is_found = true;
            memcpy(chip, path, (size_t)length + 1);
        } else if (errno == EACCES || errno == EPERM) {
            reason = errno;
        }
        free(entries[i]);
    }
    free(entries);
    if (!is_found)
        errno = reason;
    return is_found;
}
