// Informs Thread Sanitizer of the ordering by contended Mutexes.
//
// Swift compiles the uncontended lock and unlock of a Mutex into the program, where Thread Sanitizer sees them. The
// contended ones are in libswiftSynchronization, which is not instrumented, so it reports false races. This library is
// loaded before that one, calls its functions and announces the ordering. It hides no real race: two threads are
// ordered only if they used the same mutex.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void pinhole_lock(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT void pinhole_unlock(SELF void *mutex) __asm__(UNLOCK);

SWIFT void pinhole_lock(uint32_t thread, SELF void *mutex) {
    ((Lock *)dlsym(RTLD_NEXT, LOCK))(thread, mutex);
    if (__tsan_acquire)
        __tsan_acquire(mutex);
}

SWIFT void pinhole_unlock(SELF void *mutex) {
    if (__tsan_release)
        __tsan_release(mutex);
    ((Unlock *)dlsym(RTLD_NEXT, UNLOCK))(mutex);
}
