#ifndef CCAMERALIBRARY_H
#define CCAMERALIBRARY_H

#include "CCameraShim.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The functions of CCameraShim.h as libpinhole-libcamera.so implements them, in the order of that header. */
typedef struct {
    const char *(*version)(void);
    const char *(*last_error)(void);
    pinhole_camera_system *(*begin)(void);
    void (*end)(pinhole_camera_system *);
    int (*changes)(const pinhole_camera_system *);
    size_t (*list)(pinhole_camera_system *, pinhole_camera_properties *, size_t);
    pinhole_camera *(*open)(const char *);
    pinhole_camera_result (*configure)(pinhole_camera *, const pinhole_camera_request *, pinhole_camera_stream *);
    pinhole_camera_result (*start)(pinhole_camera *, const pinhole_camera_controls *);
    void (*set_controls)(pinhole_camera *, const pinhole_camera_controls *);
    pinhole_camera_event (*next)(pinhole_camera *, int64_t, pinhole_camera_frame *);
    void (*interrupt)(pinhole_camera *);
    void (*recycle)(pinhole_camera *, uint64_t, uint32_t);
    void (*stop)(pinhole_camera *);
    void (*close)(pinhole_camera *);
} pinhole_camera_functions;

/** The only symbol that libpinhole-libcamera.so exports for the shim. Any thread. */
const pinhole_camera_functions *pinhole_camera_library(void);

#ifdef __cplusplus
}
#endif

#endif
