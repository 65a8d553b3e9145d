#pragma once

#include <libcamera/camera_manager.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pinhole {

/// Receives libcamera's callbacks when cameras come and go.
class Watcher {
  public:
    virtual ~Watcher() = default;
    /// Called on libcamera's thread; returns at once and calls nothing of Library. `gone` is null for a new camera.
    virtual void camerasDidChange(const libcamera::Camera *gone) = 0;
};

/// The process's one libcamera, which runs while it has a user.
class Library {
  public:
    /// Starts libcamera unless it runs. Null on failure, with the reason. Each success is matched by one `release`.
    static Library *acquire(std::string &reason);
    /// Stops libcamera after the last use. Not on libcamera's thread; blocks.
    static void release();

    /// Cameras are taken and given back one at a time, so that looking at one never makes it seem in use.
    static std::mutex &acquisition();

    std::vector<std::shared_ptr<libcamera::Camera>> cameras() const { return manager_.cameras(); }
    std::shared_ptr<libcamera::Camera> find(const std::string &identifier) const;

    void watch(Watcher *watcher);
    /// When it returns, the watcher is not called any more.
    void unwatch(Watcher *watcher);

  private:
    void cameraDidAppear(std::shared_ptr<libcamera::Camera> camera);
    void cameraDidVanish(std::shared_ptr<libcamera::Camera> camera);
    void report(const libcamera::Camera *gone);

    libcamera::CameraManager manager_;
    std::mutex mutex_;
    std::vector<Watcher *> watchers_;
};

} // namespace pinhole
