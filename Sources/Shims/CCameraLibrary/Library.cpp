#include "Library.hpp"

#include <libcamera/camera.h>

#include <algorithm>
#include <cstring>

namespace pinhole {

namespace {
// Held while libcamera starts and stops: a second manager beside one that still stops would abort the process.
std::mutex lifeMutex;
Library *current;
int uses;
} // namespace

Library *Library::acquire(std::string &reason) {
    std::lock_guard<std::mutex> lock(lifeMutex);
    if (!current) {
        auto library = std::make_unique<Library>();
        library->manager_.cameraAdded.connect(library.get(), &Library::cameraDidAppear);
        library->manager_.cameraRemoved.connect(library.get(), &Library::cameraDidVanish);
        int result = library->manager_.start();
        if (result < 0) {
            reason = std::string("libcamera did not start: ") + std::strerror(-result);
            return nullptr;
        }
        current = library.release();
    }
    uses++;
    return current;
}

void Library::release() {
    std::lock_guard<std::mutex> lock(lifeMutex);
    if (--uses > 0)
        return;
    current->manager_.stop();
    current->manager_.cameraAdded.disconnect(current);
    current->manager_.cameraRemoved.disconnect(current);
    delete current;
    current = nullptr;
}

std::mutex &Library::acquisition() {
    static std::mutex mutex;
    return mutex;
}

std::shared_ptr<libcamera::Camera> Library::find(const std::string &identifier) const {
    for (const auto &camera : manager_.cameras())
        if (camera->id() == identifier)
            return camera;
    return nullptr;
}

void Library::watch(Watcher *watcher) {
    std::lock_guard<std::mutex> lock(mutex_);
    watchers_.push_back(watcher);
}

void Library::unwatch(Watcher *watcher) {
    std::lock_guard<std::mutex> lock(mutex_);
    watchers_.erase(std::remove(watchers_.begin(), watchers_.end(), watcher), watchers_.end());
}

void Library::cameraDidAppear(std::shared_ptr<libcamera::Camera>) { report(nullptr); }

void Library::cameraDidVanish(std::shared_ptr<libcamera::Camera> camera) { report(camera.get()); }

void Library::report(const libcamera::Camera *gone) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (Watcher *watcher : watchers_)
        watcher->camerasDidChange(gone);
}

} // namespace pinhole
