// Loads libpinhole-libcamera.so, and with it libcamera, when the first camera is looked for. libcamera and the thirty
// libraries that it needs take longer to load than everything else that a short command does, and a program that loads
// them late still runs where they are missing.
#include "CCameraLibrary.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libpinhole-libcamera.so"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static const pinhole_camera_functions *loaded;
static _Thread_local char load_error[512];

/** Opens the library in a folder relative to that of the program. */
static void *open_library(const char *folder) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length < 0 || (size_t)length >= sizeof path)
        return dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    path[length] = 0;
    char *name = strrchr(path, '/');
    size_t room = sizeof path - (size_t)(name + 1 - path);
    if ((size_t)snprintf(name + 1, room, "%s" LIBRARY, folder) >= room)
        return NULL;
    return access(path, F_OK) == 0 ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

/** The library's functions; NULL with a reason in load_error when it cannot be loaded, which is tried again each time.
 */
static const pinhole_camera_functions *functions(void) {
    pthread_mutex_lock(&loading);
    if (!loaded) {
        dlerror();
        // Beside the program after `swift build`; in /usr/lib/pinhole when it is installed in /usr/bin.
        void *library = open_library("");
        if (!library)
            library = open_library("../lib/pinhole/");
        const char *error = dlerror();
        void *symbol = library ? dlsym(library, "pinhole_camera_library") : NULL;
        if (symbol) {
            const pinhole_camera_functions *(*entry)(void);
            memcpy(&entry, &symbol, sizeof entry);
            loaded = entry();
        } else {
            snprintf(load_error, sizeof load_error, "libcamera cannot be loaded: %s",
                     error ? error : "the program's " LIBRARY " is missing; install the program again");
        }
    }
    const pinhole_camera_functions *result = loaded;
    pthread_mutex_unlock(&loading);
    return result;
}

const char *pinhole_camera_version(void) {
    const pinhole_camera_functions *library = functions();
    return library ? library->version() : "missing";
}

const char *pinhole_camera_last_error(void) {
    const pinhole_camera_functions *library = functions();
    return library ? library->last_error() : load_error;
}

pinhole_camera_system *pinhole_camera_begin(void) {
    const pinhole_camera_functions *library = functions();
    return library ? library->begin() : NULL;
}

pinhole_camera *pinhole_camera_open(const char *identifier) {
    const pinhole_camera_functions *library = functions();
    return library ? library->open(identifier) : NULL;
}

// The functions below have a system or a camera, so the library is loaded, and stays so.

void pinhole_camera_end(pinhole_camera_system *system) { loaded->end(system); }

int pinhole_camera_changes(const pinhole_camera_system *system) { return loaded->changes(system); }

size_t pinhole_camera_list(pinhole_camera_system *system, pinhole_camera_properties *properties, size_t capacity) {
    return loaded->list(system, properties, capacity);
}

pinhole_camera_result pinhole_camera_configure(pinhole_camera *camera, const pinhole_camera_request *request,
                                               pinhole_camera_stream *stream) {
    return loaded->configure(camera, request, stream);
}

pinhole_camera_result pinhole_camera_start(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    return loaded->start(camera, controls);
}

void pinhole_camera_set_controls(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    loaded->set_controls(camera, controls);
}

pinhole_camera_event pinhole_camera_next(pinhole_camera *camera, int64_t until, pinhole_camera_frame *frame) {
    return loaded->next(camera, until, frame);
}

void pinhole_camera_interrupt(pinhole_camera *camera) { loaded->interrupt(camera); }

void pinhole_camera_recycle(pinhole_camera *camera, uint64_t generation, uint32_t slot) {
    loaded->recycle(camera, generation, slot);
}

void pinhole_camera_stop(pinhole_camera *camera) { loaded->stop(camera); }

void pinhole_camera_close(pinhole_camera *camera) { loaded->close(camera); }
