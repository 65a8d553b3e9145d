#pragma once
#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with a program's arguments; it comes with the compiler, without a header.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test_one)(const uint8_t *bytes, size_t count));
