#pragma once

#include "CCameraShim.h"

#include <libcamera/camera.h>
#include <libcamera/framebuffer.h>
#include <libcamera/framebuffer_allocator.h>

#include <memory>
#include <string>
#include <vector>

namespace pinhole {

/// A buffer in our memory.
class MappedBuffer {
  public:
    MappedBuffer() = default;
    MappedBuffer(MappedBuffer &&other) noexcept;
    MappedBuffer &operator=(MappedBuffer &&) = delete;
    ~MappedBuffer();

    /// Maps all planes behind one another, whatever descriptors they have. False with the reason when that fails.
    bool map(const libcamera::FrameBuffer &buffer, std::string &reason);
    /// Lets the processor see what the device wrote, or ends that. Blocks for cache maintenance.
    void synchronize(bool begins) const;

    const void *base() const { return base_; }
    /// For each plane its offset from the base, and its length.
    const std::vector<std::pair<uint64_t, uint64_t>> &planes() const { return planes_; }

  private:
    void *base_ = nullptr;
    size_t size_ = 0;
    std::vector<libcamera::SharedFD> descriptors_;
    std::vector<std::pair<uint64_t, uint64_t>> planes_;
};

/// The buffers of one configuration. They stay mapped while one of them is leased, after a stop too.
class BufferPool {
  public:
    /// Where a buffer is.
    enum class Place { Idle, Queued, Completed, Leased };

    struct Slot {
        Place place = Place::Idle;
        std::vector<MappedBuffer> mapped;
        std::unique_ptr<libcamera::Request> request;
        /// Identifies the controls that the request carries.
        uint64_t serial = 0;
        /// True when these controls differ from those of the request before.
        bool carriesChange = false;
        /// What is known of the completed frame.
        pinhole_camera_frame frame{};
    };

    BufferPool(uint64_t generation, std::shared_ptr<libcamera::Camera> camera);

    /// Allocates buffers, maps them and makes requests. REFUSED or NO_MEMORY with the reason.
    pinhole_camera_result allocate(const libcamera::CameraConfiguration &configuration, uint32_t count,
                                   std::string &reason);
    /// Fills in where planes lie. False with the reason when buffers differ or do not fit their format.
    bool describe(const libcamera::CameraConfiguration &configuration, pinhole_camera_stream &stream,
                  std::string &reason) const;
    /// Frees what belongs to the camera; what is mapped stays.
    void detach();

    const uint64_t generation;
    std::vector<Slot> slots;
    size_t leases = 0;

  private:
    using Buffers = std::vector<std::unique_ptr<libcamera::FrameBuffer>>;

    static pinhole_camera_result makeOwn(const libcamera::StreamConfiguration &stream, uint32_t count, Buffers &buffers,
                                         std::string &reason);

    std::shared_ptr<libcamera::Camera> camera_;
    std::unique_ptr<libcamera::FrameBufferAllocator> allocator_;
    std::vector<Buffers> own_;
};

} // namespace pinhole
