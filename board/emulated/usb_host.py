"""The computer at the board's USB port. It is the board itself: its device port is connected to its own host port."""

import random

from board import BoardError

CAMERA = "1d6b:0104"
DISK = "1d6b:0106"
PORT = "/sys/bus/usb/devices/1-0:1.0/usb1-port1"
LIBRARY = "/var/lib/pinhole/library/DCIM"
FOLDER = "/root/copied"
MOUNT = "/mnt/disk"


class UsbHost:
    def __init__(self, board):
        self.board = board

    # The cable.

    def unplug(self):
        """Switches off the host port's power, like unplugging the cable."""
        self.board.output(f"echo 1 > {PORT}/disable")

    def plug(self, device=CAMERA):
        """Switches the power on; waits until the device and its console are back, with a new client session."""
        self.board.output(f"echo 0 > {PORT}/disable")
        self.wait(device)

    def wait(self, device=CAMERA):
        self.board.wait_until(
            lambda: self.board.run(f"lsusb -d {device} && [ -e /dev/ttyACM0 ]")[0] == 0
            and self.board.json("usb status")[0]["usb"] == "connected", 60)  # fmt: skip

    # Its programs.

    def names(self):
        """The photos that gphoto2 lists, sorted."""
        lines = self.board.output("gphoto2 --list-files", 120).splitlines()
        return sorted(line.split()[1] for line in lines if line.startswith("#"))

    def mtp_names(self):
        """The photos that libmtp's mtp-files lists, sorted."""
        lines = self.board.output("mtp-files 2>&1", 180).splitlines()
        return sorted(line.split()[1] for line in lines if line.strip().startswith("Filename:"))

    def copy(self):
        """Copies all photos and their thumbnails with gphoto2, and one photo with libmtp.

        Returns how many of the photos are the library's, byte for byte, and how many thumbnails are JPEG files.
        """
        get = f"rm -rf {FOLDER}; mkdir -p {FOLDER} && cd {FOLDER} && gphoto2 --get-all-files --quiet"
        self.board.output(f"{get} && gphoto2 --get-all-thumbnails --quiet", 300)
        same = self.board.output(
            f"cd {FOLDER}; for file in {LIBRARY}/*/*.JPG; do cmp -s $file $(basename $file) && echo same; done | wc -l")
        thumbnails = self.board.output(
            f"cd {FOLDER}; for file in thumb_*; do head -c 3 $file | od -An -tx1; done | grep -c 'ff d8 ff'")
        identifier = self.board.output("mtp-files 2>/dev/null | sed -n 's/^File ID: //p' | tail -n 1", 180)
        name = self.board.output(f"mtp-files 2>/dev/null | grep -A 1 'File ID: {identifier}' | sed -n 's/.*Filename: //p'")
        self.board.output(f"mtp-getfile {identifier} {FOLDER}/mtp >/dev/null && cmp {FOLDER}/mtp {LIBRARY}/*/{name}", 180)
        return int(same), int(thumbnails)

    def unplug_while_copying(self, photos):
        """Unplugs the cable in the first half of copying `photos` photos, and plugs it in. Returns how many were copied."""
        text = self.board.output(
            f"(rm -rf {FOLDER}; mkdir -p {FOLDER}; cd {FOLDER};"
            " timeout -s KILL 100 gphoto2 --get-all-files --quiet >/root/copy.log 2>&1 & copier=$!;"
            f" until [ $(ls | wc -l) -gt {random.randrange(photos // 2)} ] || ! kill -0 $copier; do sleep 0.01; done;"
            f" sleep {random.uniform(0, 0.05):.3f}; echo 1 > {PORT}/disable; wait $copier; echo ended with $?;"
            " ls | wc -l; cat /root/copy.log)", 150)  # fmt: skip
        ended, copied = text.splitlines()[:2]
        if copied == "0" or ended == "ended with 137":
            raise BoardError(f"gphoto2 copied nothing: {text}")
        self.plug()
        return int(copied)

    # Its disk.

    def wait_disk(self):
        """Waits until the host has detected the disk; returns the disk's name, such as sda."""
        self.wait(DISK)
        return self.board.wait_until(lambda: self.board.output("ls /sys/block | grep ^sd || true"), 60)

    def has_medium(self, disk):
        """True if the disk itself can be read, not only the kernel's cache of it."""
        return self.board.output(f"dd if=/dev/{disk} iflag=direct bs=4096 count=1 2>/dev/null | wc -c") == "4096"

    def wait_partition(self, disk):
        self.board.wait_until(lambda: self.has_medium(disk) and self.board.run(f"[ -b /dev/{disk}1 ]")[0] == 0, 60)

    def compare(self, disk):
        """Mounts the disk; returns how many files it has, and whether they are the library's, byte for byte."""
        sums = "find . -type f | sort | xargs sha256sum"
        self.board.output(
            f"mkdir -p {MOUNT} && mount -t vfat -o ro /dev/{disk}1 {MOUNT}"
            f" && (cd {MOUNT}/DCIM && {sums}) > /root/disk.sums && (cd {LIBRARY} && {sums}) > /root/library.sums", 300)
        self.board.output(f"umount {MOUNT}")
        same = self.board.run("cmp /root/disk.sums /root/library.sums")[0] == 0
        return int(self.board.output("wc -l < /root/disk.sums")), same

    def writes(self, disk):
        """Which writes succeed: bytes of the disk, a file. None may."""
        written = []
        if self.board.run(f"dd if=/dev/zero of=/dev/{disk}1 count=1 conv=fsync")[0] == 0:
            written.append("bytes")
        self.board.run(f"mount -t vfat -o rw /dev/{disk}1 {MOUNT}")
        if self.board.run(f"mountpoint -q {MOUNT} && touch {MOUNT}/written && sync -f {MOUNT}/written")[0] == 0:
            written.append("a file")
        self.board.run(f"umount {MOUNT}")
        return written

    # Its serial line.

    def type(self, line):
        """Types a line at the camera's serial port over USB, and starts reading its output."""
        self.board.output(
            "stty -F /dev/ttyACM0 raw -echo; (timeout 100 cat /dev/ttyACM0 > /root/acm.log &) ; sleep 0.5;"
            f" printf '\\r%s\\r' '{line}' > /dev/ttyACM0")

    def answers(self, pattern):
        """True if grep finds the pattern in the output so far."""
        return self.board.run(f"grep -E '{pattern}' /root/acm.log")[0] == 0
