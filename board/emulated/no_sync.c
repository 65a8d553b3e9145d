// Loaded into the camera before the C library, it disables all syncs, which the replay of power cuts must detect.

int fsync(int file) {
    (void)file;
    return 0;
}

int fdatasync(int file) {
    (void)file;
    return 0;
}

int syncfs(int file) {
    (void)file;
    return 0;
}
