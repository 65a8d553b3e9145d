"""A small disk on this machine whose writes are logged: qemu-storage-daemon exports it as a file, loop makes it a disk."""
import ctypes
import os
import struct
import subprocess
import time

MIB = 1 << 20
# One partition for the camera, one for the announcements.
PHOTOS_AT, PHOTOS_SIZE = 1 * MIB, 48 * MIB
NOTES_AT, NOTES_SIZE = 49 * MIB, 4 * MIB
SIZE = 53 * MIB
MOUNT_OPTIONS = b"errors=remount-ro"

_libc = ctypes.CDLL(None, use_errno=True)


def mount(device, place):
    """Mounts with the options of the camera's data partition; raises if the kernel refuses."""
    # MS_NOATIME, MS_NOSUID, MS_NODEV
    if _libc.mount(device.encode(), place.encode(), b"ext4", 1024 | 2 | 4, MOUNT_OPTIONS) != 0:
        raise OSError(ctypes.get_errno(), f"mount of {device}")


def unmount(place):
    for _ in range(100):
        if _libc.umount2(place.encode(), 0) == 0:
            return
        time.sleep(0.02)
    raise OSError(ctypes.get_errno(), f"unmount of {place}")


def private_mounts():
    """Enters a private mount namespace, so that later mounts do not affect the machine."""
    # CLONE_NEWNS; then MS_REC | MS_PRIVATE
    if _libc.unshare(0x20000) != 0 or _libc.mount(None, b"/", None, 0x4000 | 0x40000, None) != 0:
        raise OSError(ctypes.get_errno(), "own mount namespace")


def loop(path):
    """Attaches a loop device to the photo partition of a disk."""
    return subprocess.run(
        ["losetup", "--find", "--show", "--offset", str(PHOTOS_AT), "--sizelimit", str(PHOTOS_SIZE), path],
        check=True, capture_output=True, text=True,
    ).stdout.strip()


def unloop(device):
    """Detaches a loop device. It is not an error if it is already detached."""
    done = subprocess.run(["losetup", "--detach", device], capture_output=True, text=True, check=False)
    if done.returncode != 0 and os.path.exists(f"/sys/block/{os.path.basename(device)}/loop"):
        raise RuntimeError(done.stderr.strip())


def partition_table():
    """A master boot record with both partitions."""
    def row(at, size):
        return bytes([0, 0, 0, 0, 0x83, 0, 0, 0]) + struct.pack("<II", at // 512, size // 512)

    return bytes(446) + row(PHOTOS_AT, PHOTOS_SIZE) + row(NOTES_AT, NOTES_SIZE) + bytes(32) + b"\x55\xaa"


def make(path):
    """Makes an empty disk with a file system for the photos."""
    with open(path, "wb") as disk:
        disk.truncate(SIZE)
        disk.write(partition_table())
    subprocess.run(
        ["mke2fs", "-q", "-t", "ext4", "-m", "0", "-L", "pinhole-data", "-b", "4096", "-J", "size=4",
         "-E", f"offset={PHOTOS_AT},lazy_itable_init=0", path, f"{PHOTOS_SIZE // 1024}k"],
        check=True,
    )


class LoggedDisk:
    """The disk, mounted at `place`, from the present contents of `disk`, with its log in `log`."""

    def __init__(self, folder):
        self.disk, self.log = folder + "/disk.img", folder + "/writes.log"
        self.file, self.place = folder + "/disk", folder + "/mnt"
        with open(self.log, "wb") as log:
            log.truncate(4 << 30)
        open(self.file, "wb").close()
        os.makedirs(self.place, exist_ok=True)
        self.daemon = subprocess.Popen(
            ["qemu-storage-daemon",
             "--blockdev", f"driver=file,filename={self.disk},node-name=disk-file",
             "--blockdev", "driver=raw,file=disk-file,node-name=disk",
             "--blockdev", f"driver=file,filename={self.log},node-name=log-file",
             "--blockdev", "driver=raw,file=log-file,node-name=log",
             "--blockdev", "driver=blklogwrites,file=disk,log=log,node-name=logged",
             "--export", f"type=fuse,id=export,node-name=logged,mountpoint={self.file},writable=on,allow-other=off"])
        deadline = time.monotonic() + 20
        while os.stat(self.file).st_size != SIZE:
            if self.daemon.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("qemu-storage-daemon does not export the disk")
            time.sleep(0.02)
        self.device = loop(self.file)
        mount(self.device, self.place)

    def close(self):
        """Shuts down in order; afterwards the log contains every write."""
        unmount(self.place)
        unloop(self.device)
        self.daemon.terminate()
        self.daemon.wait(30)
