#pragma once

#include "BufferPool.hpp"
#include "CCameraShim.h"
#include "Library.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>

namespace pinhole {

/// One camera: what is behind pinhole_camera.
///
/// `camera_` and `configuration_` belong to the thread that configures, starts and stops; everything below the mutex is
/// shared with libcamera's thread and with the threads that recycle. The mutex is held for moments only, and never
/// across a call that waits for libcamera's thread.
class Camera final : public Watcher {
  public:
    Camera(Library &library, const char *identifier);
    ~Camera() override;

    pinhole_camera_result configure(const pinhole_camera_request &request, pinhole_camera_stream &stream,
                                    std::string &reason);
    pinhole_camera_result start(const pinhole_camera_controls &controls, std::string &reason);
    void setControls(const pinhole_camera_controls &controls);
    pinhole_camera_event next(int64_t until, pinhole_camera_frame &frame);
    void interrupt();
    void recycle(uint64_t generation, uint32_t slot);
    void stop();

  private:
    /// On libcamera's thread.
    void requestDidComplete(libcamera::Request *request);
    void camerasDidChange(const libcamera::Camera *gone) override;

    pinhole_camera_result acquire(std::string &reason);
    /// Ends the configuration in force, if there is one, and gives the camera back.
    void letGo();
    /// With the mutex held: gives a buffer to the camera.
    void queue(uint32_t slot);

    Library &library_;
    const std::string identifier_;
    std::shared_ptr<libcamera::Camera> camera_;
    std::unique_ptr<libcamera::CameraConfiguration> configuration_;

    std::mutex mutex_;
    std::condition_variable didChange_;
    /// The camera that is ours now, to detect that it has vanished.
    const libcamera::Camera *watched_ = nullptr;
    bool isUnplugged_ = false;
    bool isStreaming_ = false;
    bool isInterrupted_ = false;
    std::shared_ptr<BufferPool> pool_;
    /// Pools from before, of which frames are still leased.
    std::vector<std::shared_ptr<BufferPool>> retired_;
    /// Slots whose frames wait to be taken, oldest first.
    std::deque<uint32_t> completed_;
    pinhole_camera_controls controls_{};
    /// False while no request carries the newest request.
    bool isSent_ = true;
    uint64_t skipped_ = 0;
};

} // namespace pinhole
