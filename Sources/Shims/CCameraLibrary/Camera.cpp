#include "Camera.hpp"

#include "Formats.hpp"

#include <libcamera/request.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace pinhole {

namespace lc = libcamera;

namespace {

std::atomic<uint64_t> lastGeneration{0};

/// Frames that may wait to be taken; older ones go back, since the newest are worth most.
constexpr size_t longestQueue = 2;

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

pinhole_camera_result explain(int result, const char *what, std::string &reason) {
    reason = std::string(what) + ": " + std::strerror(-result);
    switch (-result) {
    case ENODEV:
    case ENXIO:
        return PINHOLE_CAMERA_DISCONNECTED;
    case EBUSY:
        return PINHOLE_CAMERA_IN_USE;
    case ENOMEM:
    case ENOBUFS:
        return PINHOLE_CAMERA_NO_MEMORY;
    default:
        return PINHOLE_CAMERA_REFUSED;
    }
}

} // namespace

Camera::Camera(Library &library, const char *identifier) : library_(library), identifier_(identifier) {
    library_.watch(this);
}

Camera::~Camera() {
    stop();
    library_.unwatch(this);
}

pinhole_camera_result Camera::acquire(std::string &reason) {
    std::lock_guard<std::mutex> turn(Library::acquisition());
    auto camera = library_.find(identifier_);
    if (!camera) {
        reason = "there is no camera " + identifier_;
        return PINHOLE_CAMERA_DISCONNECTED;
    }
    int result = camera->acquire();
    if (result < 0)
        return explain(result, "cannot take the camera", reason);
    camera_ = camera;
    std::lock_guard<std::mutex> lock(mutex_);
    watched_ = camera.get();
    isUnplugged_ = false;
    return PINHOLE_CAMERA_OK;
}

pinhole_camera_result Camera::configure(const pinhole_camera_request &request, pinhole_camera_stream &stream,
                                        std::string &reason) {
    // The old buffers must go before the new ones come: a small board has no room for both.
    stop();
    pinhole_camera_result result = acquire(reason);
    if (result != PINHOLE_CAMERA_OK)
        return result;
    auto fail = [&](pinhole_camera_result result) {
        letGo();
        return result;
    };
    configuration_ = makeConfiguration(*camera_, request, reason);
    if (!configuration_)
        return fail(PINHOLE_CAMERA_REFUSED);
    int code = camera_->configure(configuration_.get());
    if (code < 0)
        return fail(explain(code, "the camera refused its configuration", reason));
    auto pool = std::make_shared<BufferPool>(++lastGeneration, camera_);
    {
        std::lock_guard<std::mutex> lock(mutex_);
        pool_ = pool;
    }
    result = pool->allocate(*configuration_, request.buffer_count, reason);
    if (result != PINHOLE_CAMERA_OK)
        return fail(result);
    stream = {};
    const lc::StreamConfiguration &still = configuration_->at(0);
    stream.format = stillFormat(still);
    stream.width = still.size.width;
    stream.height = still.size.height;
    stream.buffer_count = uint32_t(pool->slots.size());
    stream.shortest_frame = shortestFrame(*camera_);
    if (configuration_->size() == 2)
        stream.raw = rawFormat(configuration_->at(1));
    if (!pool->describe(*configuration_, stream, reason))
        return fail(PINHOLE_CAMERA_REFUSED);
    return PINHOLE_CAMERA_OK;
}

pinhole_camera_result Camera::start(const pinhole_camera_controls &controls, std::string &reason) {
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (!camera_ || !pool_ || isStreaming_) {
            reason = isStreaming_ ? "the camera streams already" : "the camera is not configured";
            return PINHOLE_CAMERA_REFUSED;
        }
        if (isUnplugged_) {
            reason = "the camera was unplugged";
            return PINHOLE_CAMERA_DISCONNECTED;
        }
        controls_ = controls;
        isSent_ = true;
        isInterrupted_ = false;
        isStreaming_ = true;
        skipped_ = 0;
    }
    camera_->requestCompleted.connect(this, &Camera::requestDidComplete);
    lc::ControlList first(camera_->controls());
    apply(controls, camera_->controls(), first);
    int result = camera_->start(&first);
    if (result < 0) {
        camera_->requestCompleted.disconnect(this);
        std::lock_guard<std::mutex> lock(mutex_);
        isStreaming_ = false;
        return explain(result, "the camera did not start", reason);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    for (uint32_t slot = 0; slot < pool_->slots.size(); slot++)
        queue(slot);
    return PINHOLE_CAMERA_OK;
}

void Camera::setControls(const pinhole_camera_controls &controls) {
    std::lock_guard<std::mutex> lock(mutex_);
    controls_ = controls;
    isSent_ = false;
}

void Camera::queue(uint32_t slot) {
    BufferPool::Slot &place = pool_->slots[slot];
    if (place.request->status() != lc::Request::RequestPending)
        place.request->reuse(lc::Request::ReuseBuffers);
    place.carriesChange = !isSent_;
    place.serial = controls_.serial;
    if (!isSent_) {
        apply(controls_, camera_->controls(), place.request->controls());
        isSent_ = true;
    }
    bool isQueued = camera_->queueRequest(place.request.get()) == 0;
    place.place = isQueued ? BufferPool::Place::Queued : BufferPool::Place::Idle;
    if (!isQueued && place.carriesChange)
        isSent_ = false;
}

void Camera::requestDidComplete(lc::Request *request) {
    int64_t completed = now();
    std::lock_guard<std::mutex> lock(mutex_);
    uint64_t slot = request->cookie();
    if (!pool_ || slot >= pool_->slots.size() || pool_->slots[slot].request.get() != request)
        return;
    BufferPool::Slot &place = pool_->slots[slot];
    place.place = BufferPool::Place::Idle;
    if (!isStreaming_)
        return;
    bool isCancelled = request->status() != lc::Request::RequestComplete;
    bool isGood = !isCancelled && !request->buffers().empty();
    for (const auto &buffer : request->buffers())
        isGood = isGood && buffer.second->metadata().status == lc::FrameMetadata::FrameSuccess;
    if (!isGood) {
        skipped_++;
        // What the request was to change did not arrive, perhaps.
        if (place.carriesChange)
            isSent_ = false;
        // A camera that cancels has stopped by itself; only a start helps, and it queues all buffers again.
        if (!isCancelled)
            queue(uint32_t(slot));
        return;
    }
    const lc::FrameBuffer *buffer = request->findBuffer(configuration_->at(0).stream());
    pinhole_camera_frame &frame = place.frame;
    frame = {};
    frame.generation = pool_->generation;
    frame.slot = uint32_t(slot);
    if (buffer) {
        frame.sequence = buffer->metadata().sequence;
        frame.timestamp = int64_t(buffer->metadata().timestamp);
    }
    frame.completed = completed;
    frame.serial = place.serial;
    readMetadata(request->metadata(), frame);
    place.place = BufferPool::Place::Completed;
    completed_.push_back(uint32_t(slot));
    if (completed_.size() > longestQueue) {
        skipped_++;
        uint32_t oldest = completed_.front();
        completed_.pop_front();
        queue(oldest);
    }
    didChange_.notify_all();
}

pinhole_camera_event Camera::next(int64_t until, pinhole_camera_frame &frame) {
    auto moment = std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::nanoseconds(until)));
    std::shared_ptr<BufferPool> pool;
    {
        std::unique_lock<std::mutex> lock(mutex_);
        bool hasNews = didChange_.wait_until(
            lock, moment, [&] { return isInterrupted_ || !isStreaming_ || isUnplugged_ || !completed_.empty(); });
        if (!hasNews)
            return PINHOLE_CAMERA_TIMEOUT;
        if (isInterrupted_ || !isStreaming_)
            return PINHOLE_CAMERA_INTERRUPTED;
        if (isUnplugged_)
            return PINHOLE_CAMERA_UNPLUGGED;
        pool = pool_;
        BufferPool::Slot &place = pool->slots[completed_.front()];
        completed_.pop_front();
        place.place = BufferPool::Place::Leased;
        pool->leases++;
        frame = place.frame;
        frame.skipped = skipped_;
    }
    const std::vector<MappedBuffer> &mapped = pool->slots[frame.slot].mapped;
    for (const MappedBuffer &buffer : mapped)
        buffer.synchronize(true);
    frame.base = mapped[0].base();
    frame.raw = mapped.size() > 1 ? mapped[1].base() : nullptr;
    return PINHOLE_CAMERA_FRAME;
}

void Camera::interrupt() {
    std::lock_guard<std::mutex> lock(mutex_);
    isInterrupted_ = true;
    didChange_.notify_all();
}

void Camera::recycle(uint64_t generation, uint32_t slot) {
    std::shared_ptr<BufferPool> pool;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        if (pool_ && pool_->generation == generation)
            pool = pool_;
        for (const auto &old : retired_)
            if (old->generation == generation)
                pool = old;
        if (!pool || slot >= pool->slots.size() || pool->slots[slot].place != BufferPool::Place::Leased)
            return;
    }
    for (const MappedBuffer &buffer : pool->slots[slot].mapped)
        buffer.synchronize(false);
    // The pool itself goes with the last reference, after the mutex.
    std::lock_guard<std::mutex> lock(mutex_);
    pool->slots[slot].place = BufferPool::Place::Idle;
    pool->leases--;
    if (pool == pool_) {
        if (isStreaming_ && !isUnplugged_)
            queue(slot);
    } else if (pool->leases == 0) {
        retired_.erase(std::remove(retired_.begin(), retired_.end(), pool), retired_.end());
    }
}

void Camera::stop() {
    bool wasStreaming;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        wasStreaming = isStreaming_;
        isStreaming_ = false;
        didChange_.notify_all();
    }
    if (wasStreaming) {
        // Every request is completed on libcamera's thread before this returns; the mutex must be free for that.
        camera_->stop();
        camera_->requestCompleted.disconnect(this);
    }
    letGo();
}

void Camera::letGo() {
    if (!camera_)
        return;
    std::shared_ptr<BufferPool> pool;
    {
        std::lock_guard<std::mutex> lock(mutex_);
        pool = std::move(pool_);
        pool_ = nullptr;
        completed_.clear();
        watched_ = nullptr;
        if (pool && pool->leases > 0)
            retired_.push_back(pool);
    }
    if (pool)
        pool->detach();
    configuration_.reset();
    std::lock_guard<std::mutex> turn(Library::acquisition());
    camera_->release();
    camera_.reset();
}

void Camera::camerasDidChange(const lc::Camera *gone) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!gone || gone != watched_)
        return;
    isUnplugged_ = true;
    didChange_.notify_all();
}

} // namespace pinhole
