/* What Swift's Glibc module does not show: Linux system calls whose macros, flags or variadic prototypes it cannot
 * import. Every function returns the call's result and leaves the reason in errno. */
#ifndef CLINUXSHIM_H
#define CLINUXSHIM_H

#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* renameat2(2) with RENAME_NOREPLACE: fails with EEXIST instead of replacing. Where the file system does not offer
 * the flag (EINVAL), link(2) and unlink(2) give the same promise. */
int pinhole_rename_noreplace(const char *from, const char *to);

/* open(2) is variadic. O_CLOEXEC is always added. */
int pinhole_open(const char *path, int flags, mode_t mode);

/* flock(2): exclusive and without waiting; shared and without waiting; exclusive; and its end. */
int pinhole_lock(int descriptor);
int pinhole_lock_shared(int descriptor);
int pinhole_lock_waiting(int descriptor);
int pinhole_unlock(int descriptor);

/* epoll(7), one descriptor a call. The token comes back in pinhole_poll_wait. */
int pinhole_poll_create(void);
int pinhole_poll_add(int poll, int descriptor, bool read, bool write, uint64_t token);
int pinhole_poll_change(int poll, int descriptor, bool read, bool write, uint64_t token);
int pinhole_poll_remove(int poll, int descriptor);

struct pinhole_poll_event {
    uint64_t token;
    bool readable;
    bool writable;
    bool hung_up;
};
/* Blocks for at most timeout_ns (negative: without limit); returns the number of events stored. */
int pinhole_poll_wait(int poll, struct pinhole_poll_event *events, int capacity, int64_t timeout_ns);

/* eventfd(2), non-blocking. */
int pinhole_eventfd(void);

/* signalfd(2) for the signals in `signals`, which are blocked for the whole process: call before any thread starts. */
int pinhole_signalfd(const int *signals, int count);

/* accept4(2), non-blocking and closed on exec. */
int pinhole_accept(int listener);

/* True while the kernel calls the system clock synchronized (adjtimex(2), STA_UNSYNC clear). */
bool pinhole_clock_is_synchronized(void);

/* Sets the zone used by pinhole_zone_offset; NULL or "" means the system's own (/etc/localtime). False when the name
 * is not in the zone database. Not thread-safe against getenv: call it serialized. */
bool pinhole_set_zone(const char *name);

/* True for NULL, "" and what pinhole_set_zone would accept. */
bool pinhole_is_known_zone(const char *name);

/* Seconds east of UTC at the given time in the zone set last. */
long pinhole_zone_offset(int64_t unix_seconds);

/* The kernel's words for an errno, NULL when unknown; never freed. */
const char *pinhole_error_text(int code);

/* sem_clockwait(3) on CLOCK_MONOTONIC; false when the moment came first. */
bool pinhole_semaphore_wait_until(sem_t *semaphore, int64_t monotonic_ns);

/* Linux AIO (io_setup(2) and its kin), the one interface in which a transfer of a FunctionFS endpoint that waits can be
 * given up. A context is used by one thread at a time. */
struct pinhole_transfer {
    uint64_t storage[8];
};
struct pinhole_transfer_end {
    uint64_t token;
    /* Bytes that were moved, or a negative errno. */
    int64_t result;
};
int pinhole_transfers_create(unsigned capacity, uint64_t *context);
/* Gives up what is under way and waits until the kernel has let go of it. */
int pinhole_transfers_destroy(uint64_t context);
/* Begins a transfer. Its record and its buffer must stay where they are until its end was collected; `wake` is an
 * eventfd that counts ends. */
int pinhole_transfer_begin(uint64_t context, struct pinhole_transfer *transfer, int descriptor, bool write,
                           void *buffer, size_t count, int wake, uint64_t token);
/* Gives a transfer up. Its end is still to be collected. */
int pinhole_transfer_cancel(uint64_t context, struct pinhole_transfer *transfer);
/* Takes ends that have come, without waiting; returns their number. */
int pinhole_transfers_collect(uint64_t context, struct pinhole_transfer_end *ends, int capacity);

/* The address and the packet size of a FunctionFS endpoint at the speed of its host (FUNCTIONFS_ENDPOINT_DESC). */
int pinhole_usb_endpoint(int descriptor, uint8_t *address, uint16_t *packet_size);
/* Forgets what waits in an endpoint's FIFO (FUNCTIONFS_FIFO_FLUSH). */
int pinhole_usb_flush(int descriptor);

/* Names the calling thread (at most 15 bytes). */
void pinhole_name_thread(const char *name);

#endif
