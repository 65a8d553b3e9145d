#ifndef CGPIOSHIM_H
#define CGPIOSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * GPIO lines through libgpiod 1 or 2, whichever it was compiled with. One line is one descriptor.
 *
 * Every function may be called from any thread, one at a time for each line. None blocks. A function that fails leaves
 * the reason in errno.
 */

/** The resistor that holds an input while nothing drives it. */
typedef enum {
    PINHOLE_GPIO_BIAS_AS_IS,
    PINHOLE_GPIO_BIAS_DISABLED,
    PINHOLE_GPIO_BIAS_PULL_UP,
    PINHOLE_GPIO_BIAS_PULL_DOWN
} pinhole_gpio_bias;

/** A change of an input. */
typedef struct {
    /** CLOCK_MONOTONIC, nanoseconds, stamped by the kernel when it happened. */
    int64_t time;
    /** The level after the change, the line's polarity applied. */
    bool is_active;
} pinhole_gpio_edge;

/** A line that was asked for. */
typedef struct pinhole_gpio_line pinhole_gpio_line;

/** libgpiod's version, such as "2.2.1". The text lives as long as the process. */
const char *pinhole_gpio_version(void);

/**
 * Finds a line by its name on any chip.
 *
 * chip gets the chip's path and needs room for size bytes. ENOENT when no line has the name, EACCES or EPERM
 * when there are chips that may not be opened.
 */
bool pinhole_gpio_find(const char *name, char *chip, size_t size, unsigned int *offset);

/** Watches an input for changes in both directions. NULL on failure; EBUSY when another program has the line. */
pinhole_gpio_line *pinhole_gpio_open_input(const char *chip, unsigned int offset, bool is_active_low,
                                           pinhole_gpio_bias bias);

/** Drives an output, inactive at first. NULL on failure. */
pinhole_gpio_line *pinhole_gpio_open_output(const char *chip, unsigned int offset, bool is_active_low);

/** Lets a line go. */
void pinhole_gpio_close(pinhole_gpio_line *line);

/** Readable while changes wait. It belongs to the line. */
int pinhole_gpio_descriptor(const pinhole_gpio_line *line);

/**
 * Takes changes that wait, oldest first, at most capacity.
 *
 * Returns how many, 0 when none waits, -1 on failure (ENODEV when the chip is gone). did_lose is set when the kernel's
 * queue ran over, so that changes between those reported are missing; the level must then be read.
 */
int pinhole_gpio_read(pinhole_gpio_line *line, pinhole_gpio_edge *edges, size_t capacity, bool *did_lose);

/** The level of an input or output: 1 active, 0 inactive, -1 on failure. */
int pinhole_gpio_level(pinhole_gpio_line *line);

/** Drives an output. False on failure. */
bool pinhole_gpio_set(pinhole_gpio_line *line, bool is_active);

#endif
