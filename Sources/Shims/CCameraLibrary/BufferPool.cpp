#include "BufferPool.hpp"

#include <libcamera/formats.h>
#include <libcamera/request.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <linux/dma-buf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pinhole {

namespace lc = libcamera;

// MARK: MappedBuffer

MappedBuffer::MappedBuffer(MappedBuffer &&other) noexcept
    : base_(other.base_), size_(other.size_), descriptors_(std::move(other.descriptors_)),
      planes_(std::move(other.planes_)) {
    other.base_ = nullptr;
}

MappedBuffer::~MappedBuffer() {
    if (base_)
        munmap(base_, size_);
}

bool MappedBuffer::map(const lc::FrameBuffer &buffer, std::string &reason) {
    struct Part {
        lc::SharedFD descriptor;
        uint64_t length;
        uint64_t start;
    };
    const uint64_t page = uint64_t(sysconf(_SC_PAGESIZE));
    std::vector<Part> parts;
    std::vector<size_t> partOfPlane;
    for (const lc::FrameBuffer::Plane &plane : buffer.planes()) {
        uint64_t offset = plane.offset == lc::FrameBuffer::Plane::kInvalidOffset ? 0 : plane.offset;
        auto part = std::find_if(parts.begin(), parts.end(),
                                 [&](const Part &part) { return part.descriptor.get() == plane.fd.get(); });
        if (part == parts.end())
            part = parts.insert(part, Part{plane.fd, 0, 0});
        part->length = std::max(part->length, offset + plane.length);
        partOfPlane.push_back(size_t(part - parts.begin()));
        planes_.emplace_back(offset, plane.length);
    }
    uint64_t total = 0;
    for (Part &part : parts) {
        off_t size = lseek(part.descriptor.get(), 0, SEEK_END);
        if (size >= 0 && uint64_t(size) < part.length) {
            reason = "the camera's buffer is shorter than it says";
            return false;
        }
        part.start = total;
        total += (part.length + page - 1) / page * page;
    }
    if (total == 0) {
        reason = "the camera's buffer is empty";
        return false;
    }
    void *base = mmap(nullptr, total, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) {
        reason = std::string("cannot map a buffer: ") + std::strerror(errno);
        return false;
    }
    base_ = base;
    size_ = total;
    for (const Part &part : parts) {
        if (mmap(static_cast<char *>(base) + part.start, part.length, PROT_READ, MAP_SHARED | MAP_FIXED,
                 part.descriptor.get(), 0) == MAP_FAILED) {
            reason = std::string("cannot map a buffer: ") + std::strerror(errno);
            return false;
        }
        descriptors_.push_back(part.descriptor);
    }
    for (size_t index = 0; index < planes_.size(); index++)
        planes_[index].first += parts[partOfPlane[index]].start;
    return true;
}

void MappedBuffer::synchronize(bool begins) const {
    dma_buf_sync sync{};
    sync.flags = DMA_BUF_SYNC_READ | (begins ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END);
    // Memory that is no DMA buffer needs none of this and refuses it.
    for (const lc::SharedFD &descriptor : descriptors_)
        while (ioctl(descriptor.get(), DMA_BUF_IOCTL_SYNC, &sync) < 0 && (errno == EINTR || errno == EAGAIN)) {
        }
}

// MARK: BufferPool

BufferPool::BufferPool(uint64_t generation, std::shared_ptr<lc::Camera> camera)
    : generation(generation), camera_(std::move(camera)) {}

pinhole_camera_result BufferPool::allocate(const lc::CameraConfiguration &configuration, uint32_t count,
                                           std::string &reason) {
    allocator_ = std::make_unique<lc::FrameBufferAllocator>(camera_);
    own_.resize(configuration.size());
    std::vector<const Buffers *> streams;
    for (size_t index = 0; index < configuration.size(); index++) {
        const lc::StreamConfiguration &stream = configuration.at(unsigned(index));
        int result = allocator_->allocate(stream.stream());
        if (result > 0) {
            streams.push_back(&allocator_->buffers(stream.stream()));
        } else if (result == -ENOBUFS) {
            // The camera has no device memory of its own and writes with the processor: any memory does.
            pinhole_camera_result made = makeOwn(stream, count, own_[index], reason);
            if (made != PINHOLE_CAMERA_OK)
                return made;
            streams.push_back(&own_[index]);
        } else {
            reason = std::string("the camera cannot allocate buffers: ") + std::strerror(result < 0 ? -result : ENOMEM);
            return result == 0 || result == -ENOMEM ? PINHOLE_CAMERA_NO_MEMORY : PINHOLE_CAMERA_REFUSED;
        }
    }
    size_t least = streams.empty() ? 0 : streams[0]->size();
    for (const Buffers *buffers : streams)
        least = std::min(least, buffers->size());
    slots.resize(least);
    for (size_t slot = 0; slot < least; slot++) {
        slots[slot].request = camera_->createRequest(slot);
        if (!slots[slot].request) {
            reason = "the camera makes no requests";
            return PINHOLE_CAMERA_REFUSED;
        }
        slots[slot].mapped.reserve(streams.size());
        for (size_t index = 0; index < streams.size(); index++) {
            lc::FrameBuffer &buffer = *(*streams[index])[slot];
            if (slots[slot].request->addBuffer(configuration.at(unsigned(index)).stream(), &buffer) < 0) {
                reason = "the camera does not take its buffer";
                return PINHOLE_CAMERA_REFUSED;
            }
            slots[slot].mapped.emplace_back();
            if (!slots[slot].mapped.back().map(buffer, reason))
                return errno == ENOMEM ? PINHOLE_CAMERA_NO_MEMORY : PINHOLE_CAMERA_REFUSED;
        }
    }
    return PINHOLE_CAMERA_OK;
}

pinhole_camera_result BufferPool::makeOwn(const lc::StreamConfiguration &stream, uint32_t count, Buffers &buffers,
                                          std::string &reason) {
    unsigned int luma = stream.stride * stream.size.height;
    unsigned int chromaRows = (stream.size.height + 1) / 2;
    std::vector<unsigned int> lengths;
    if (stream.pixelFormat == lc::formats::NV12)
        lengths = {luma, stream.stride * chromaRows};
    else if (stream.pixelFormat == lc::formats::YUV420)
        lengths = {luma, stream.stride / 2 * chromaRows, stream.stride / 2 * chromaRows};
    else
        lengths = {stream.frameSize};
    for (uint32_t index = 0; index < count; index++) {
        int descriptor = memfd_create("pinhole-frame", MFD_CLOEXEC);
        lc::SharedFD file(std::move(descriptor));
        std::vector<lc::FrameBuffer::Plane> planes;
        unsigned int offset = 0;
        for (unsigned int length : lengths) {
            lc::FrameBuffer::Plane plane;
            plane.fd = file;
            plane.offset = offset;
            plane.length = length;
            planes.push_back(plane);
            offset += length;
        }
        if (!file.isValid() || ftruncate(file.get(), off_t(offset)) < 0) {
            reason = std::string("cannot make a buffer: ") + std::strerror(errno);
            return PINHOLE_CAMERA_NO_MEMORY;
        }
        buffers.push_back(std::make_unique<lc::FrameBuffer>(planes));
    }
    return PINHOLE_CAMERA_OK;
}

bool BufferPool::describe(const lc::CameraConfiguration &configuration, pinhole_camera_stream &stream,
                          std::string &reason) const {
    for (const Slot &slot : slots)
        for (size_t index = 0; index < slot.mapped.size(); index++)
            if (slot.mapped[index].planes() != slots[0].mapped[index].planes()) {
                reason = "the camera's buffers differ from one another";
                return false;
            }
    const lc::StreamConfiguration &still = configuration.at(0);
    const auto &planes = slots[0].mapped[0].planes();
    bool isNV12 = still.pixelFormat == lc::formats::NV12;
    stream.plane_count = isNV12 ? 2 : 3;
    uint64_t rest = 0, start = 0;
    if (planes.size() == 1) {
        // One plane for everything: the chroma samples follow at once.
        start = planes[0].first;
        rest = planes[0].second;
    } else if (planes.size() != stream.plane_count) {
        reason = "the camera's buffers have " + std::to_string(planes.size()) + " planes";
        return false;
    }
    for (uint32_t index = 0; index < stream.plane_count; index++) {
        pinhole_camera_plane &plane = stream.planes[index];
        plane.stride = index == 0 || isNV12 ? still.stride : still.stride / 2;
        if (planes.size() > 1) {
            plane.offset = planes[index].first;
            plane.length = planes[index].second;
            continue;
        }
        uint64_t rows = index == 0 ? still.size.height : (still.size.height + 1) / 2;
        plane.offset = start;
        plane.length = std::min(rest, plane.stride * rows);
        start += plane.length;
        rest -= plane.length;
    }
    if (configuration.size() == 2) {
        const auto &raw = slots[0].mapped[1].planes();
        if (raw.size() != 1 || raw[0].first != 0) {
            reason = "the camera's raw buffers have " + std::to_string(raw.size()) + " planes";
            return false;
        }
        stream.raw.length = raw[0].second;
    }
    return true;
}

void BufferPool::detach() {
    for (Slot &slot : slots)
        slot.request.reset();
    own_.clear();
    allocator_.reset();
    camera_.reset();
}

} // namespace pinhole
