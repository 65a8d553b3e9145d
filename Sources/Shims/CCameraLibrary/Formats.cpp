#include "Formats.hpp"

#include "Library.hpp"

#include <libcamera/color_space.h>
#include <libcamera/control_ids.h>
#include <libcamera/formats.h>
#include <libcamera/property_ids.h>
#include <libcamera/version.h>

#include <algorithm>
#include <mutex>

namespace pinhole {

namespace lc = libcamera;

/* From 0.5 on exposure time and gain have modes of their own, and AeState stands for AeLocked. */
#define HAS_EXPOSURE_MODES (LIBCAMERA_VERSION_MAJOR > 0 || LIBCAMERA_VERSION_MINOR >= 5)

namespace {

struct RawFormat {
    lc::PixelFormat format;
    pinhole_camera_pattern pattern;
    uint32_t bits;
    bool isPacked;
};

/// What we can read, best first: most bits in fewest bytes.
const RawFormat rawFormats[] = {
    {lc::formats::SRGGB12_CSI2P, PINHOLE_CAMERA_RGGB, 12, true},
    {lc::formats::SGRBG12_CSI2P, PINHOLE_CAMERA_GRBG, 12, true},
    {lc::formats::SGBRG12_CSI2P, PINHOLE_CAMERA_GBRG, 12, true},
    {lc::formats::SBGGR12_CSI2P, PINHOLE_CAMERA_BGGR, 12, true},
    {lc::formats::SRGGB10_CSI2P, PINHOLE_CAMERA_RGGB, 10, true},
    {lc::formats::SGRBG10_CSI2P, PINHOLE_CAMERA_GRBG, 10, true},
    {lc::formats::SGBRG10_CSI2P, PINHOLE_CAMERA_GBRG, 10, true},
    {lc::formats::SBGGR10_CSI2P, PINHOLE_CAMERA_BGGR, 10, true},
    {lc::formats::SRGGB16, PINHOLE_CAMERA_RGGB, 16, false},
    {lc::formats::SGRBG16, PINHOLE_CAMERA_GRBG, 16, false},
    {lc::formats::SGBRG16, PINHOLE_CAMERA_GBRG, 16, false},
    {lc::formats::SBGGR16, PINHOLE_CAMERA_BGGR, 16, false},
    {lc::formats::SRGGB12, PINHOLE_CAMERA_RGGB, 12, false},
    {lc::formats::SGRBG12, PINHOLE_CAMERA_GRBG, 12, false},
    {lc::formats::SGBRG12, PINHOLE_CAMERA_GBRG, 12, false},
    {lc::formats::SBGGR12, PINHOLE_CAMERA_BGGR, 12, false},
    {lc::formats::SRGGB10, PINHOLE_CAMERA_RGGB, 10, false},
    {lc::formats::SGRBG10, PINHOLE_CAMERA_GRBG, 10, false},
    {lc::formats::SGBRG10, PINHOLE_CAMERA_GBRG, 10, false},
    {lc::formats::SBGGR10, PINHOLE_CAMERA_BGGR, 10, false},
};

const RawFormat *find(const lc::PixelFormat &format) {
    for (const RawFormat &known : rawFormats)
        if (known.format == format)
            return &known;
    return nullptr;
}

bool isStill(const lc::PixelFormat &format) { return format == lc::formats::NV12 || format == lc::formats::YUV420; }

uint64_t area(const lc::Size &size) { return uint64_t(size.width) * size.height; }

/// Chooses the best format that we can read, at its largest size. False when there is none.
bool chooseRaw(lc::StreamConfiguration &stream) {
    const RawFormat *best = nullptr;
    for (const lc::PixelFormat &format : stream.formats().pixelformats()) {
        const RawFormat *known = find(format);
        if (known && (!best || known < best))
            best = known;
    }
    if (!best)
        best = find(stream.pixelFormat);
    if (!best)
        return false;
    stream.pixelFormat = best->format;
    for (const lc::Size &size : stream.formats().sizes(best->format))
        if (area(size) > area(stream.size))
            stream.size = size;
    return true;
}

template <typename Value> bool is(const lc::ControlValue &value, lc::ControlType type, Value &result) {
    if (value.type() != type || value.isArray())
        return false;
    result = value.get<Value>();
    return true;
}

const lc::ControlInfo *find(const lc::ControlInfoMap &known, unsigned int identifier) {
    auto place = known.find(identifier);
    return place == known.end() ? nullptr : &place->second;
}

void copy(const std::string &text, char *place, size_t size) {
    size_t length = std::min(text.size(), size - 1);
    std::copy_n(text.data(), length, place);
    place[length] = 0;
}

void readLimits(const lc::Camera &camera, pinhole_camera_properties &properties) {
    int32_t least = 0, most = 0;
    const lc::ControlInfo *exposure = find(camera.controls(), lc::controls::ExposureTime.id());
    if (exposure && is(exposure->min(), lc::ControlTypeInteger32, least) &&
        is(exposure->max(), lc::ControlTypeInteger32, most)) {
        properties.shortest_exposure = least;
        properties.longest_exposure = most;
    }
    float small = 0, great = 0;
    const lc::ControlInfo *gain = find(camera.controls(), lc::controls::AnalogueGain.id());
    if (gain && is(gain->min(), lc::ControlTypeFloat, small) && is(gain->max(), lc::ControlTypeFloat, great)) {
        properties.least_gain = small;
        properties.greatest_gain = great;
    }
}

} // namespace

std::unique_ptr<lc::CameraConfiguration> makeConfiguration(lc::Camera &camera, const pinhole_camera_request &request,
                                                           std::string &reason) {
    std::unique_ptr<lc::CameraConfiguration> configuration;
    if (request.wants_raw) {
        configuration = camera.generateConfiguration({lc::StreamRole::StillCapture, lc::StreamRole::Raw});
        if (configuration && (configuration->size() != 2 || !chooseRaw(configuration->at(1))))
            configuration.reset();
    }
    if (!configuration)
        configuration = camera.generateConfiguration({lc::StreamRole::StillCapture});
    if (!configuration || configuration->empty()) {
        reason = "the camera has no stream for still pictures";
        return nullptr;
    }
    lc::StreamConfiguration &still = configuration->at(0);
    still.pixelFormat = request.format == PINHOLE_CAMERA_NV12 ? lc::formats::NV12 : lc::formats::YUV420;
    if (request.width > 0 && request.height > 0)
        still.size = lc::Size(request.width, request.height);
    still.colorSpace = lc::ColorSpace::Sycc;
    for (lc::StreamConfiguration &stream : *configuration)
        stream.bufferCount = request.buffer_count;
    bool hasRaw = configuration->size() == 2;
    bool isValid = configuration->validate() != lc::CameraConfiguration::Invalid;
    if (hasRaw && (!isValid || configuration->size() != 2 || !find(configuration->at(1).pixelFormat))) {
        pinhole_camera_request less = request;
        less.wants_raw = false;
        return makeConfiguration(camera, less, reason);
    }
    if (!isValid || configuration->empty()) {
        reason = "the camera refused " + still.toString();
        return nullptr;
    }
    if (!isStill(configuration->at(0).pixelFormat)) {
        reason = "the camera gives only " + configuration->at(0).pixelFormat.toString() + ", not YUV420 or NV12";
        return nullptr;
    }
    return configuration;
}

pinhole_camera_format stillFormat(const lc::StreamConfiguration &stream) {
    return stream.pixelFormat == lc::formats::NV12 ? PINHOLE_CAMERA_NV12 : PINHOLE_CAMERA_YUV420;
}

pinhole_camera_raw rawFormat(const lc::StreamConfiguration &stream) {
    const RawFormat *format = find(stream.pixelFormat);
    pinhole_camera_raw raw{};
    if (!format)
        return raw;
    raw.width = stream.size.width;
    raw.height = stream.size.height;
    raw.stride = stream.stride;
    raw.pattern = format->pattern;
    raw.bits = format->bits;
    raw.is_packed = format->isPacked;
    return raw;
}

int64_t shortestFrame(const lc::Camera &camera) {
    int64_t shortest = 0;
    const lc::ControlInfo *limits = find(camera.controls(), lc::controls::FrameDurationLimits.id());
    return limits && is(limits->min(), lc::ControlTypeInteger64, shortest) && shortest > 0 ? shortest : 0;
}

pinhole_camera_properties describe(const std::shared_ptr<lc::Camera> &camera) {
    pinhole_camera_properties properties{};
    copy(camera->id(), properties.identifier, sizeof properties.identifier);
    auto model = camera->properties().get(lc::properties::Model);
    copy(model ? std::string(*model) : camera->id(), properties.model, sizeof properties.model);
    properties.location = camera->properties().get(lc::properties::Location).value_or(-1);

    std::lock_guard<std::mutex> lock(Library::acquisition());
    bool isOurs = camera->acquire() == 0;
    pinhole_camera_request request{};
    request.buffer_count = 4;
    request.wants_raw = true;
    std::string reason;
    if (auto configuration = makeConfiguration(*camera, request, reason)) {
        properties.width = configuration->at(0).size.width;
        properties.height = configuration->at(0).size.height;
        if (configuration->size() == 2)
            properties.raw = rawFormat(configuration->at(1));
        // Before it is configured, a camera reports limits that fit no mode.
        if (isOurs)
            camera->configure(configuration.get());
    }
    readLimits(*camera, properties);
    if (isOurs)
        camera->release();
    return properties;
}

void apply(const pinhole_camera_controls &wanted, const lc::ControlInfoMap &known, lc::ControlList &controls) {
    auto set = [&](const auto &control, auto value) {
        if (known.count(control.id()))
            controls.set(control, value);
    };
#if HAS_EXPOSURE_MODES
    set(lc::controls::ExposureTimeMode,
        int32_t(wanted.exposure > 0 ? lc::controls::ExposureTimeModeManual : lc::controls::ExposureTimeModeAuto));
    set(lc::controls::AnalogueGainMode,
        int32_t(wanted.gain > 0 ? lc::controls::AnalogueGainModeManual : lc::controls::AnalogueGainModeAuto));
    if (wanted.exposure > 0)
        set(lc::controls::ExposureTime, int32_t(wanted.exposure));
    if (wanted.gain > 0)
        set(lc::controls::AnalogueGain, wanted.gain);
#else
    // With automatic exposure on, 0 leaves a value to it and any other fixes that value.
    set(lc::controls::AeEnable, wanted.exposure <= 0 || wanted.gain <= 0);
    set(lc::controls::ExposureTime, int32_t(wanted.exposure));
    set(lc::controls::AnalogueGain, wanted.gain);
#endif
    set(lc::controls::ExposureValue, wanted.bias);
}

void readMetadata(const lc::ControlList &metadata, pinhole_camera_frame &frame) {
    frame.timestamp = metadata.get(lc::controls::SensorTimestamp).value_or(frame.timestamp);
    frame.exposure = metadata.get(lc::controls::ExposureTime).value_or(0);
    frame.analogue_gain = metadata.get(lc::controls::AnalogueGain).value_or(0);
    frame.digital_gain = metadata.get(lc::controls::DigitalGain).value_or(0);
    frame.duration = metadata.get(lc::controls::FrameDuration).value_or(0);
    frame.is_manual = -1;
    frame.is_settled = -1;
#if HAS_EXPOSURE_MODES
    if (auto mode = metadata.get(lc::controls::ExposureTimeMode))
        frame.is_manual = *mode == lc::controls::ExposureTimeModeManual;
    if (auto state = metadata.get(lc::controls::AeState))
        frame.is_settled = *state != lc::controls::AeStateSearching;
#else
    if (auto isLocked = metadata.get(lc::controls::AeLocked))
        frame.is_settled = *isLocked;
#endif
}

} // namespace pinhole
