#ifndef CCAMERASHIM_H
#define CCAMERASHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Cameras through libcamera 0.0.3 or later, whichever it was compiled with.
 *
 * libcamera completes requests on a thread of its own. There the shim only checks the frame, notes the time and puts it
 * into a short queue; pinhole_camera_next takes it out on a thread of the caller. So no function of the caller ever
 * runs on libcamera's thread.
 *
 * Pointers passed in are borrowed for the length of the call. No other rules about threads apply than those stated.
 */

/** How a call ended. pinhole_camera_last_error has the sentence. */
typedef enum {
    PINHOLE_CAMERA_OK,
    /** Not plugged in, or gone. */
    PINHOLE_CAMERA_DISCONNECTED,
    /** Another program has it. */
    PINHOLE_CAMERA_IN_USE,
    /** No memory for the buffers. */
    PINHOLE_CAMERA_NO_MEMORY,
    /** Anything else. */
    PINHOLE_CAMERA_REFUSED
} pinhole_camera_result;

/** How the samples of a picture lie. */
typedef enum { PINHOLE_CAMERA_YUV420, PINHOLE_CAMERA_NV12 } pinhole_camera_format;

/** The colors of a raw picture's first two rows. */
typedef enum {
    PINHOLE_CAMERA_RGGB,
    PINHOLE_CAMERA_GRBG,
    PINHOLE_CAMERA_GBRG,
    PINHOLE_CAMERA_BGGR
} pinhole_camera_pattern;

/** Raw samples in memory. width is 0 when there are none. */
typedef struct {
    uint32_t width;
    uint32_t height;
    /** Bytes from one row to the next. */
    uint32_t stride;
    /** Bytes from the first sample to the end of what is mapped. */
    uint64_t length;
    pinhole_camera_pattern pattern;
    uint32_t bits;
    /** True for MIPI CSI-2 packing, false for one 16-bit word a sample. */
    bool is_packed;
} pinhole_camera_raw;

/** What libcamera reports about a camera before it is configured. */
typedef struct {
    /** libcamera's identifier, the same after a restart. */
    char identifier[256];
    /** The sensor's model, such as "imx477". */
    char model[64];
    /** libcamera's Location: 0 front, 1 back, 2 external, -1 not known. */
    int32_t location;
    /** Full size of a processed picture. */
    uint32_t width;
    uint32_t height;
    /** Exposure times, microseconds; both 0 when they cannot be set. */
    int64_t shortest_exposure;
    int64_t longest_exposure;
    /** Analogue gains; both 0 when they cannot be set. */
    float least_gain;
    float greatest_gain;
    /** The raw stream it can give beside the processed one. */
    pinhole_camera_raw raw;
} pinhole_camera_properties;

/** The stream that the caller requests. Sizes are in pixels; 0 by 0 requests the camera's full size. */
typedef struct {
    pinhole_camera_format format;
    uint32_t width;
    uint32_t height;
    uint32_t buffer_count;
    bool wants_raw;
} pinhole_camera_request;

/** One plane of a picture. */
typedef struct {
    /** Bytes from the frame's base to the first sample. */
    uint64_t offset;
    /** Bytes from one row to the next. */
    uint32_t stride;
    /** Bytes from the first sample to the end of what is mapped of this plane. */
    uint64_t length;
} pinhole_camera_plane;

/** The stream that the camera granted, which may differ from the request. */
typedef struct {
    pinhole_camera_format format;
    uint32_t width;
    uint32_t height;
    uint32_t buffer_count;
    uint32_t plane_count;
    pinhole_camera_plane planes[3];
    pinhole_camera_raw raw;
    /** Shortest time from one frame to the next in this mode, microseconds; 0 when not known. */
    int64_t shortest_frame;
} pinhole_camera_stream;

/** Settings of exposure for the next requests. */
typedef struct {
    /** Microseconds; 0 for automatic. */
    int64_t exposure;
    /** Analogue gain; 0 for automatic. */
    float gain;
    /** Compensation of automatic exposure, EV. */
    float bias;
    /** Identifies these controls; a frame has the number of those that its request carried. */
    uint64_t serial;
} pinhole_camera_controls;

/** A finished frame, leased until it is recycled. */
typedef struct {
    uint64_t generation;
    uint32_t slot;
    /** The sensor's number of the frame since the start; it jumps over dropped ones and may wrap. */
    uint32_t sequence;
    /** SensorTimestamp in nanoseconds, or the buffer's when that is missing; 0 when neither is there. */
    int64_t timestamp;
    /** When libcamera completed it, CLOCK_MONOTONIC, nanoseconds. */
    int64_t completed;
    /** Exposure time in microseconds; 0 when not reported. */
    int64_t exposure;
    /** Gains; 0 when not reported. */
    float analogue_gain;
    float digital_gain;
    /** Time from the frame before, microseconds; 0 when not reported. */
    int64_t duration;
    /** 1 manual exposure time, 0 automatic, -1 not reported. */
    int32_t is_manual;
    /** 1 automatic exposure has settled, 0 it is searching, -1 not reported. */
    int32_t is_settled;
    /** The serial of the controls that the frame's request carried. */
    uint64_t serial;
    /** Frames since the start that came with an error or too fast to be taken, and were given back. */
    uint64_t skipped;
    /** The samples; readable until the frame is recycled. */
    const void *base;
    /** The raw samples, NULL when there are none; readable as long. */
    const void *raw;
} pinhole_camera_frame;

/** What pinhole_camera_next saw. */
typedef enum {
    /** A frame. */
    PINHOLE_CAMERA_FRAME,
    /** The moment came first. */
    PINHOLE_CAMERA_TIMEOUT,
    /** pinhole_camera_interrupt was called. */
    PINHOLE_CAMERA_INTERRUPTED,
    /** The camera was unplugged. */
    PINHOLE_CAMERA_UNPLUGGED
} pinhole_camera_event;

/** A user of libcamera, which runs while there is at least one: a process may have only one libcamera. */
typedef struct pinhole_camera_system pinhole_camera_system;

/** A camera that may be configured. */
typedef struct pinhole_camera pinhole_camera;

/** libcamera's version, such as "v0.4.0". Any thread; the text lives as long as the process. */
const char *pinhole_camera_version(void);

/** The reason for the last failure on this thread. Owned by the thread, and valid until its next call. */
const char *pinhole_camera_last_error(void);

/** Starts libcamera unless it runs. Any thread; blocks while it looks for cameras. NULL on failure; the caller ends it.
 */
pinhole_camera_system *pinhole_camera_begin(void);

/** Ends one use of libcamera; the last one stops it. Any thread but libcamera's; blocks. The system is gone afterwards.
 */
void pinhole_camera_end(pinhole_camera_system *system);

/** An eventfd that is readable after a camera came or went; read 8 bytes to clear it. It belongs to the system. */
int pinhole_camera_changes(const pinhole_camera_system *system);

/**
 * The cameras there are now. Any thread; blocks for milliseconds, because it queries the properties of each.
 *
 * properties has room for capacity elements. Returns the number of cameras, which may be larger.
 */
size_t pinhole_camera_list(pinhole_camera_system *system, pinhole_camera_properties *properties, size_t capacity);

/**
 * Names a camera, plugged in or not. It is not taken from other programs before it is configured. Any thread.
 *
 * Returns NULL when memory is short; the caller closes it. It keeps libcamera running.
 */
pinhole_camera *pinhole_camera_open(const char *identifier);

/**
 * Takes the camera, sets up its still stream and allocates new buffers. One thread at a time with start,
 * stop and close; blocks.
 */
pinhole_camera_result pinhole_camera_configure(pinhole_camera *camera, const pinhole_camera_request *request,
                                               pinhole_camera_stream *stream);

/** Starts the stream that was configured. One thread at a time with configure, stop and close; blocks. */
pinhole_camera_result pinhole_camera_start(pinhole_camera *camera, const pinhole_camera_controls *controls);

/** Asks for settings; each frame's request carries the newest. Any thread; does not block. */
void pinhole_camera_set_controls(pinhole_camera *camera, const pinhole_camera_controls *controls);

/**
 * Waits for the next frame until a moment of CLOCK_MONOTONIC in nanoseconds. One thread at a time; blocks.
 *
 * A frame is the caller's until it is recycled.
 */
pinhole_camera_event pinhole_camera_next(pinhole_camera *camera, int64_t until, pinhole_camera_frame *frame);

/** Makes pinhole_camera_next return, now and until the next start. Any thread; does not block. */
void pinhole_camera_interrupt(pinhole_camera *camera);

/**
 * Gives a frame back. Any thread, libcamera's too; does not block.
 *
 * A frame from before a stop only lets its memory go. One that is not leased is ignored.
 */
void pinhole_camera_recycle(pinhole_camera *camera, uint64_t generation, uint32_t slot);

/**
 * Stops the stream and gives the camera back for others to take. Leased frames stay readable. One thread at a time with
 * configure, start and close, and not libcamera's; blocks until libcamera has completed every request.
 */
void pinhole_camera_stop(pinhole_camera *camera);

/** Stops if needed and frees everything. No other call may be under way and no frame leased. */
void pinhole_camera_close(pinhole_camera *camera);

#ifdef __cplusplus
}
#endif

#endif
