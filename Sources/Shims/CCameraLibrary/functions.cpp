#include "CCameraLibrary.h"
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
        ::close(descriptor);
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

const char *version() { return libcamera::CameraManager::version().c_str(); }

const char *lastErrorText() { return lastError.c_str(); }

pinhole_camera_system *begin() {
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

void end(pinhole_camera_system *system) {
    delete system;
    pinhole::Library::release();
}

int changes(const pinhole_camera_system *system) { return system->descriptor; }

size_t list(pinhole_camera_system *system, pinhole_camera_properties *properties, size_t capacity) {
    auto cameras = system->library.cameras();
    for (size_t index = 0; index < cameras.size() && index < capacity; index++)
        properties[index] = pinhole::describe(cameras[index]);
    return cameras.size();
}

pinhole_camera *open(const char *identifier) {
    pinhole::Library *library = pinhole::Library::acquire(lastError);
    return library ? new pinhole_camera{{*library, identifier}} : nullptr;
}

pinhole_camera_result configure(pinhole_camera *camera, const pinhole_camera_request *request,
                                pinhole_camera_stream *stream) {
    return camera->camera.configure(*request, *stream, lastError);
}

pinhole_camera_result start(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    return camera->camera.start(*controls, lastError);
}

void setControls(pinhole_camera *camera, const pinhole_camera_controls *controls) {
    camera->camera.setControls(*controls);
}

pinhole_camera_event next(pinhole_camera *camera, int64_t until, pinhole_camera_frame *frame) {
    return camera->camera.next(until, *frame);
}

void interrupt(pinhole_camera *camera) { camera->camera.interrupt(); }

void recycle(pinhole_camera *camera, uint64_t generation, uint32_t slot) { camera->camera.recycle(generation, slot); }

void stop(pinhole_camera *camera) { camera->camera.stop(); }

void close(pinhole_camera *camera) {
    delete camera;
    pinhole::Library::release();
}

} // namespace

const pinhole_camera_functions *pinhole_camera_library() {
    static const pinhole_camera_functions functions = {
        version, lastErrorText, begin, end,       changes, list, open,  configure,
        start,   setControls,   next,  interrupt, recycle, stop, close,
    };
    return &functions;
}
