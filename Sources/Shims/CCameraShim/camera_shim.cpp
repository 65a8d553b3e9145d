#include "Camera.hpp"
#include "Formats.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

struct pinhole_camera_system final : pinhole::Watcher {
    pinhole_camera_system(pinhole::Library &library, int descriptor) : library(library), descriptor(descriptor) {
        library.watch(this);
    }

    ~pinhole_camera_system() override {
        library.unwatch(this);
        close(descriptor);
    }

    void camerasDidChange(const libcamera::Camera *) override {
        uint64_t one = 1;
        // Full means that it was not read for a long time: it is readable anyway.
        ssize_t written = write(descriptor, &one, sizeof one);
        (void)written;
    }

    pinhole::Library &library;
    const int descriptor;
};

struct pinhole_camera {
    pinhole::Camera camera;
};

namespace {
thread_local std::string lastError;
}

const char *pinhole_camera_version(void) { return libcamera::CameraManager::version().c_str(); }

const char *pinhole_camera_last_error(void) { return lastError.c_str(); }

pinhole_camera_system *pinhole_camera_begin(void) {
    pinhole::Library *library = pinhole::Library::acquire(lastError);
    if (!library)
        return nullptr;
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0) {
        lastError = std::string("eventfd: ") + std::strerror(errno);
        pinhole::Library::release();
        return nullptr;
    }
    return new pinhole_camera_system(*library, descriptor);
}

void pinhole_camera_end(pinhole_camera_system *system) {
    delete system;
    pinhole::Library::release();
}

int pinhole_camera_changes(const pinhole_camera_system *system) { return system->descriptor; }

size_t pinhole_camera_list(pinhole_camera_system *system, pinhole_camera_properties *properties, size_t capacity) {
    auto cameras = system->library.cameras();
    for (size_t index = 0; index < cameras.size() && index < capacity; index++)
        properties[index] = pinhole::describe(cameras[index]);
    return cameras.size();
}

pinhole_camera *pinhole_camera_open(const char *identifier) {
    pinhole::Library *library = pinhole::Library::acquire(lastError);
    return library ? new pinhole_camera{{*library, identifier}} : nullptr;
}

pinhole_camera_result pinhole_camera_configure(pinhole_camera *camera, const pinhole_camera_request *request,
                                               pinhole_camera_stream *stream) {
    return camera->camera.configure(*request, *stream, lastError);
}

pinhole_camera_result pinhole_camera_start(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    return camera->camera.start(*controls, lastError);
}

void pinhole_camera_set_controls(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    camera->camera.setControls(*controls);
}

pinhole_camera_event pinhole_camera_next(pinhole_camera *camera, int64_t until, pinhole_camera_frame *frame) {
    return camera->camera.next(until, *frame);
}

void pinhole_camera_interrupt(pinhole_camera *camera) { camera->camera.interrupt(); }

void pinhole_camera_recycle(pinhole_camera *camera, uint64_t generation, uint32_t slot) {
    camera->camera.recycle(generation, slot);
}

void pinhole_camera_stop(pinhole_camera *camera) { camera->camera.stop(); }

void pinhole_camera_close(pinhole_camera *camera) {
    delete camera;
    pinhole::Library::release();
}
