#define _GNU_SOURCE
#include "CLinuxShim.h"

#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/usb/functionfs.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

int pinhole_rename_noreplace(const char *from, const char *to) {
    int result = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (result == 0 || errno != EINVAL)
        return result;
    if (link(from, to) != 0)
        return -1;
    return unlink(from);
}

int pinhole_open(const char *path, int flags, mode_t mode) { return open(path, flags | O_CLOEXEC, mode); }

int pinhole_lock(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB); }

int pinhole_lock_shared(int descriptor) { return flock(descriptor, LOCK_SH | LOCK_NB); }

int pinhole_lock_waiting(int descriptor) { return flock(descriptor, LOCK_EX); }

int pinhole_unlock(int descriptor) { return flock(descriptor, LOCK_UN); }

int pinhole_poll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int poll_control(int poll, int operation, int descriptor, bool read, bool write, uint64_t token) {
    struct epoll_event event = {.events = (read ? EPOLLIN : 0) | (write ? EPOLLOUT : 0), .data.u64 = token};
    return epoll_ctl(poll, operation, descriptor, &event);
}

int pinhole_poll_add(int poll, int descriptor, bool read, bool write, uint64_t token) {
    return poll_control(poll, EPOLL_CTL_ADD, descriptor, read, write, token);
}

int pinhole_poll_change(int poll, int descriptor, bool read, bool write, uint64_t token) {
    return poll_control(poll, EPOLL_CTL_MOD, descriptor, read, write, token);
}

int pinhole_poll_remove(int poll, int descriptor) { return epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, NULL); }

int pinhole_poll_wait(int poll, struct pinhole_poll_event *events, int capacity, int64_t timeout_ns) {
    struct epoll_event ready[64];
    if (capacity > 64)
        capacity = 64;
    /* Rounded up: waking early would only loop. */
    int timeout = timeout_ns < 0 ? -1 : timeout_ns > 3600000000000LL ? 3600000 : (int)((timeout_ns + 999999) / 1000000);
    int count = epoll_wait(poll, ready, capacity, timeout);
    for (int i = 0; i < count; i++) {
        events[i].token = ready[i].data.u64;
        events[i].readable = (ready[i].events & EPOLLIN) != 0;
        events[i].writable = (ready[i].events & EPOLLOUT) != 0;
        events[i].hung_up = (ready[i].events & (EPOLLHUP | EPOLLERR)) != 0;
    }
    return count;
}

int pinhole_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int pinhole_signalfd(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++)
        sigaddset(&set, signals[i]);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return -1;
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int pinhole_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

bool pinhole_clock_is_synchronized(void) {
    struct timex state = {0};
    return adjtimex(&state) >= 0 && (state.status & STA_UNSYNC) == 0;
}

bool pinhole_is_known_zone(const char *name) {
    if (name == NULL || name[0] == '\0' || strcmp(name, "UTC") == 0)
        return true;
    char path[512];
    if (strstr(name, "..") != NULL || name[0] == '/' ||
        snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    char magic[4] = {0};
    bool known = file != NULL && fread(magic, 1, 4, file) == 4 && memcmp(magic, "TZif", 4) == 0;
    if (file != NULL)
        fclose(file);
    return known;
}

bool pinhole_set_zone(const char *name) {
    if (!pinhole_is_known_zone(name))
        return false;
    if (name == NULL || name[0] == '\0') {
        unsetenv("TZ");
    } else {
        char value[512];
        if (snprintf(value, sizeof value, ":%s", name) >= (int)sizeof value || setenv("TZ", value, 1) != 0)
            return false;
    }
    tzset();
    return true;
}

long pinhole_zone_offset(int64_t unix_seconds) {
    time_t seconds = (time_t)unix_seconds;
    struct tm broken_down;
    return localtime_r(&seconds, &broken_down) == NULL ? 0 : broken_down.tm_gmtoff;
}

const char *pinhole_error_text(int code) { return strerrordesc_np(code); }

bool pinhole_semaphore_wait_until(sem_t *semaphore, int64_t monotonic_ns) {
    struct timespec moment = {.tv_sec = monotonic_ns / 1000000000, .tv_nsec = monotonic_ns % 1000000000};
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &moment) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

static_assert(sizeof(struct iocb) == sizeof(struct pinhole_transfer), "a transfer holds an iocb");

int pinhole_transfers_create(unsigned capacity, uint64_t *context) {
    aio_context_t created = 0;
    int result = (int)syscall(SYS_io_setup, capacity, &created);
    *context = created;
    return result;
}

int pinhole_transfers_destroy(uint64_t context) { return (int)syscall(SYS_io_destroy, (aio_context_t)context); }

int pinhole_transfer_begin(uint64_t context, struct pinhole_transfer *transfer, int descriptor, bool write,
                           void *buffer, size_t count, int wake, uint64_t token) {
    struct iocb *request = (struct iocb *)transfer->storage;
    memset(request, 0, sizeof *request);
    request->aio_data = token;
    request->aio_lio_opcode = write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
    request->aio_fildes = (uint32_t)descriptor;
    request->aio_buf = (uint64_t)(uintptr_t)buffer;
    request->aio_nbytes = count;
    request->aio_flags = IOCB_FLAG_RESFD;
    request->aio_resfd = (uint32_t)wake;
    return syscall(SYS_io_submit, (aio_context_t)context, 1L, &request) == 1 ? 0 : -1;
}

int pinhole_transfer_cancel(uint64_t context, struct pinhole_transfer *transfer) {
    struct io_event ignored;
    return (int)syscall(SYS_io_cancel, (aio_context_t)context, (struct iocb *)transfer->storage, &ignored);
}

int pinhole_transfers_collect(uint64_t context, struct pinhole_transfer_end *ends, int capacity) {
    struct io_event events[16];
    struct timespec now = {0};
    long count =
        syscall(SYS_io_getevents, (aio_context_t)context, 0L, capacity < 16 ? (long)capacity : 16L, events, &now);
    for (long i = 0; i < count; i++) {
        ends[i].token = events[i].data;
        ends[i].result = events[i].res;
    }
    return (int)count;
}

int pinhole_usb_endpoint(int descriptor, uint8_t *address, uint16_t *packet_size) {
    struct usb_endpoint_descriptor endpoint;
    int result = ioctl(descriptor, FUNCTIONFS_ENDPOINT_DESC, &endpoint);
    if (result < 0)
        return result;
    *address = endpoint.bEndpointAddress;
    *packet_size = le16toh(endpoint.wMaxPacketSize) & 0x07ff;
    return 0;
}

int pinhole_usb_flush(int descriptor) { return ioctl(descriptor, FUNCTIONFS_FIFO_FLUSH); }

void pinhole_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }
