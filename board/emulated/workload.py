"""Bursts, single photos, deletes, restores and emptied trash, each announced on the disk at its place in the log."""
import ctypes
import hashlib
import os
import random
import signal
import threading
import time

from announcements import Announcer
from camera import Camera
from logged_disk import NOTES_AT, NOTES_SIZE


class Workload:
    """Uses a camera whose state folder is on a logged disk."""

    def __init__(self, disk, program, seed, preload=None):
        self.disk, self.source = disk, random.Random(seed)
        self.camera = Camera(
            program, disk.place + "/state", os.path.dirname(disk.place) + "/camera.conf", preload)
        self.announcer = Announcer(disk.file, NOTES_AT, NOTES_SIZE)
        self.sums, self.failure = {}, None

    def _listen(self):
        """Announces each photo as soon as its event arrives."""
        try:
            for event in self.camera.follow("events --follow"):
                if event.get("event") == "saved" and event["number"] not in self.sums:
                    self.announcer.write("saved", [(event["number"], event["id"])])
                    with open(event["path"], "rb") as photo:
                        self.sums[event["number"]] = hashlib.sha256(photo.read()).hexdigest()
                elif event.get("event") == "dropped":
                    raise RuntimeError("events were missed")
        except OSError:
            pass  # The camera was killed.
        except Exception as error:  # pylint: disable=broad-except
            self.failure = error

    def run(self, rounds):
        """Runs `rounds` rounds; one in ten ends with the camera killed or stopped, and started again."""
        listener = self._start()
        for _ in range(rounds):
            self._round()
            if self.failure:
                raise self.failure
            if self.source.random() < 0.1:
                if self.source.random() < 0.5:
                    threading.Timer(0.02, self.camera.process.kill).start()
                    try:
                        self.camera.command("shoot --count 50")
                    except OSError:
                        pass
                    self.camera.process.wait(60)
                else:
                    self.camera.stop()
                listener.join()
                listener = self._start()
        self.camera.stop(signal.SIGTERM)
        listener.join()
        self.announcer.close()

    def _start(self):
        self.camera.start()
        listener = threading.Thread(target=self._listen)
        listener.start()
        return listener

    def _round(self):
        choice = self.source.random()
        if choice < 0.35:
            self._expect(f"shoot --count {self.source.randint(2, 6)}")
        elif choice < 0.45:
            self.camera.command(f"press --hold {self.source.randint(400, 700)}")
            time.sleep(1)
        elif choice < 0.55:
            self._expect("shoot")
        elif choice < 0.75:
            self._move("delete", "deleting", "deleted", self._photos("list"), 3)
        elif choice < 0.88:
            self._move("restore", "restoring", "restored", self._photos("trash"), 2)
        elif choice < 0.94:
            photos = self._photos("list", 1)
            if photos:
                self.camera.command(f"favorite {photos[0][0]}")
        else:
            self._empty()
        if len(self._photos("list")) > 40:
            self._move("delete", "deleting", "deleted", self._photos("list"), 20)
            self._empty()

    def _photos(self, command, most=None):
        """Announced photos that the camera lists, in random order."""
        found = [(photo["number"], photo["id"]) for photo in self.camera.command(command)]
        found = [photo for photo in found if photo[0] in self.sums]
        self.source.shuffle(found)
        return found[:most]

    def _move(self, command, begun, done, photos, most):
        photos = photos[: self.source.randint(1, most)]
        if photos:
            self.announcer.write(begun, photos)
            self._expect(f"{command} {' '.join(number for number, _ in photos)}")
            self.announcer.write(done, photos)

    def _empty(self):
        photos = self._photos("trash")
        self.announcer.write("emptying", photos)
        self._expect("trash --empty")
        self.announcer.write("emptied", photos)

    def _expect(self, command):
        for record in self.camera.command(command):
            if "error" in record:
                raise RuntimeError(f"{command}: {record['error']}")


class NaiveWriter:
    """Works like many programs: writes to the final name, syncs nothing, reports the photo as saved."""

    def __init__(self, disk, photos):
        self.folder, self.photos = disk.place + "/state/library/DCIM/100PINHO", photos
        self.announcer = Announcer(disk.file, NOTES_AT, NOTES_SIZE)
        self.sums = {}

    def run(self, count):
        os.makedirs(self.folder, exist_ok=True)
        for place in range(1, count + 1):
            content = self.photos[place % len(self.photos)]
            with open(f"{self.folder}/PINH{place:04}.JPG", "wb") as photo:
                photo.write(content)
            number = f"100-{place:04}"
            self.sums[number] = hashlib.sha256(content).hexdigest()
            self.announcer.write("saved", [(number, "")])
            if place % 25 == 0:
                self._write_back()
            time.sleep(0.01)
        self.announcer.close()

    def _write_back(self):
        """Does what the kernel does by itself after some time."""
        folder = os.open(self.folder, os.O_RDONLY)
        ctypes.CDLL(None).syncfs(folder)
        os.close(folder)
