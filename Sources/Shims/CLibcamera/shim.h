/* libcamera's headers are C++, which Swift does not read here; CCameraShim includes them itself. */
