// Tests the camera shim with libcamera's virtual camera: listing, streaming, the picture, stopping, no leaks.
// Usage: virtual-camera [ROUNDS]
#include "CCameraShim.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "virtual-camera:%d: not true: %s (%s)\n", __LINE__, #condition,                       \
                         pinhole_camera_last_error());                                                                 \
            std::exit(1);                                                                                              \
        }                                                                                                              \
    } while (0)

size_t descriptors() {
    auto entries = std::filesystem::directory_iterator("/proc/self/fd");
    return size_t(std::distance(begin(entries), end(entries)));
}

size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    size_t count = 0;
    for (std::string line; std::getline(maps, line);)
        if (line.find("pinhole-frame") != std::string::npos || line.find("dmabuf") != std::string::npos)
            count++;
    return count;
}

int64_t now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

pinhole_camera_stream configure(pinhole_camera *camera, const pinhole_camera_properties &properties) {
    pinhole_camera_request request{};
    request.format = PINHOLE_CAMERA_YUV420;
    request.width = properties.width;
    request.height = properties.height;
    request.buffer_count = 6;
    request.wants_raw = true;
    pinhole_camera_stream stream{};
    CHECK(pinhole_camera_configure(camera, &request, &stream) == PINHOLE_CAMERA_OK);
    return stream;
}

pinhole_camera_frame next(pinhole_camera *camera) {
    pinhole_camera_frame frame{};
    CHECK(pinhole_camera_next(camera, now() + 20'000'000'000, &frame) == PINHOLE_CAMERA_FRAME);
    return frame;
}

/// The middle row contains only the eight shades of the color bars; the bars move from frame to frame.
bool hasBars(const pinhole_camera_stream &stream, const void *base) {
    const uint8_t *row = static_cast<const uint8_t *>(base) + stream.planes[0].offset +
                         uint64_t(stream.height / 2) * stream.planes[0].stride;
    return std::set<int>(row, row + stream.width) == std::set<int>{16, 41, 82, 107, 144, 169, 210, 235};
}

} // namespace

int main(int count, char **words) {
    int rounds = count > 1 ? std::atoi(words[1]) : 50;

    pinhole_camera_system *system = pinhole_camera_begin();
    CHECK(system);
    pinhole_camera_properties properties{};
    CHECK(pinhole_camera_list(system, &properties, 1) == 1);
    CHECK(properties.width == 1920 && properties.height == 1080 && properties.raw.width == 0);
    CHECK(properties.location == 1 && std::string(properties.model) == "Virtual Sensor");

    // A camera that does not exist.
    pinhole_camera *absent = pinhole_camera_open("absent");
    pinhole_camera_request request{};
    pinhole_camera_stream stream{};
    CHECK(pinhole_camera_configure(absent, &request, &stream) == PINHOLE_CAMERA_DISCONNECTED);
    pinhole_camera_close(absent);

    pinhole_camera *camera = pinhole_camera_open(properties.identifier);
    pinhole_camera_controls controls{};
    CHECK(pinhole_camera_start(camera, &controls) == PINHOLE_CAMERA_REFUSED);

    // The stream: NV12 whatever the request is, color bars, frames in order with timestamps of the right clock.
    stream = configure(camera, properties);
    CHECK(stream.format == PINHOLE_CAMERA_NV12 && stream.plane_count == 2 && stream.buffer_count >= 4);
    CHECK(stream.planes[0].stride >= 1920 && stream.planes[1].offset >= 1080ULL * stream.planes[0].stride);
    pinhole_camera *second = pinhole_camera_open(properties.identifier);
    CHECK(pinhole_camera_configure(second, &request, &stream) == PINHOLE_CAMERA_IN_USE);
    pinhole_camera_close(second);
    stream = configure(camera, properties);
    CHECK(pinhole_camera_start(camera, &controls) == PINHOLE_CAMERA_OK);
    int64_t last = 0;
    for (int i = 0; i < 30; i++) {
        controls.serial = uint64_t(i);
        pinhole_camera_set_controls(camera, &controls);
        pinhole_camera_frame frame = next(camera);
        CHECK(frame.timestamp > last && frame.timestamp <= frame.completed && frame.completed <= now());
        last = frame.timestamp;
        CHECK(hasBars(stream, frame.base));
        CHECK(frame.raw == nullptr);
        pinhole_camera_recycle(camera, frame.generation, frame.slot);
        // A repeated or unknown lease is ignored.
        pinhole_camera_recycle(camera, frame.generation, frame.slot);
        pinhole_camera_recycle(camera, frame.generation + 7, frame.slot);
        pinhole_camera_recycle(camera, frame.generation, 4'000'000'000);
    }

    // While all buffers are leased, no frame arrives; each returned lease brings one frame.
    std::vector<pinhole_camera_frame> held;
    for (uint32_t i = 0; i < stream.buffer_count; i++)
        held.push_back(next(camera));
    pinhole_camera_frame frame{};
    CHECK(pinhole_camera_next(camera, now() + 100'000'000, &frame) == PINHOLE_CAMERA_TIMEOUT);
    pinhole_camera_recycle(camera, held.back().generation, held.back().slot);
    held.back() = next(camera);

    // Leases from before a stop stay readable, also during later streams, and may be returned at any time.
    std::thread waiter([&] {
        pinhole_camera_frame frame{};
        CHECK(pinhole_camera_next(camera, now() + 60'000'000'000, &frame) == PINHOLE_CAMERA_INTERRUPTED);
    });
    pinhole_camera_interrupt(camera);
    waiter.join();
    pinhole_camera_stop(camera);
    stream = configure(camera, properties);
    CHECK(pinhole_camera_start(camera, &controls) == PINHOLE_CAMERA_OK);
    frame = next(camera);
    CHECK(frame.generation > held[0].generation);
    for (const pinhole_camera_frame &old : held) {
        CHECK(hasBars(stream, old.base));
        pinhole_camera_recycle(camera, old.generation, old.slot);
    }
    CHECK(mappings() <= 2 * stream.buffer_count);
    pinhole_camera_recycle(camera, frame.generation, frame.slot);
    pinhole_camera_stop(camera);
    CHECK(mappings() == 0);

    // Many starts and stops, with one thread that returns leases while the other stops.
    size_t open = descriptors();
    for (int round = 0; round < rounds; round++) {
        configure(camera, properties);
        CHECK(pinhole_camera_start(camera, &controls) == PINHOLE_CAMERA_OK);
        std::vector<pinhole_camera_frame> frames{next(camera), next(camera)};
        std::thread recycler([&] {
            for (const pinhole_camera_frame &frame : frames)
                pinhole_camera_recycle(camera, frame.generation, frame.slot);
        });
        pinhole_camera_stop(camera);
        recycler.join();
        CHECK(descriptors() == open && mappings() == 0);
    }

    pinhole_camera_close(camera);
    pinhole_camera_end(system);
    // Starts and stops libcamera many times.
    open = descriptors();
    for (int round = 0; round < rounds; round++) {
        system = pinhole_camera_begin();
        CHECK(system && pinhole_camera_list(system, &properties, 1) == 1);
        pinhole_camera_end(system);
        CHECK(descriptors() == open);
    }
    std::printf("virtual-camera: libcamera %s, %d rounds: good\n", pinhole_camera_version(), rounds);
}
