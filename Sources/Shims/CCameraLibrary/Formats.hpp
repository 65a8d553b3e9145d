#pragma once

#include "CCameraShim.h"

#include <libcamera/camera.h>

#include <memory>
#include <string>

namespace pinhole {

/// The still stream's configuration, with a raw stream as the second when that is wanted and there is one; validated.
/// Null with the reason when the camera gives nothing that we can read.
std::unique_ptr<libcamera::CameraConfiguration>
makeConfiguration(libcamera::Camera &camera, const pinhole_camera_request &request, std::string &reason);

/// What a validated still stream's format is.
pinhole_camera_format stillFormat(const libcamera::StreamConfiguration &stream);

/// Describes a validated raw stream; its length is left 0.
pinhole_camera_raw rawFormat(const libcamera::StreamConfiguration &stream);

/// What the camera is. Takes it for a moment, to learn the limits of its full-size mode, unless it is in use.
pinhole_camera_properties describe(const std::shared_ptr<libcamera::Camera> &camera);

/// The mode's shortest frame in microseconds; 0 when not known.
int64_t shortestFrame(const libcamera::Camera &camera);

/// Sets the controls that the camera knows, one at a time: whole lists are refused from 0.7 on.
void apply(const pinhole_camera_controls &wanted, const libcamera::ControlInfoMap &known,
           libcamera::ControlList &controls);

/// Copies what the camera says about a frame.
void readMetadata(const libcamera::ControlList &metadata, pinhole_camera_frame &frame);

} // namespace pinhole
