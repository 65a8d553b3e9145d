"""Announcements as numbered sectors on the disk under test, so that the write log contains each at its place."""
import json
import mmap
import os
import threading

HEAD = b"announced\n"
SLOT = 4096


class Announcer:
    """Writes announcements past all caches to a part of the disk that nothing else uses."""

    def __init__(self, path, offset, size):
        self.file = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.page = mmap.mmap(-1, SLOT)
        self.offset, self.slots, self.count, self.lock = offset, size // SLOT, 0, threading.Lock()

    def write(self, kind, photos):
        """Announces (number, identifier) pairs. Without a flush, which would hide a missing flush of the camera."""
        with self.lock:
            text = HEAD + json.dumps({"n": self.count, "kind": kind, "photos": photos}).encode()
            self.page[:] = text.ljust(SLOT, b"\0")
            os.pwrite(self.file, self.page, self.offset + self.count % self.slots * SLOT)
            self.count += 1

    def close(self):
        os.close(self.file)


class Announcements:
    """The announcements of a log, and what the disk must contain at each of its entries."""

    def __init__(self, entries, offset, size, before):
        """`before`: [number, identifier, possible places] of each photo announced before the log began."""
        self.found = []
        for index, entry in enumerate(entries):
            if offset <= entry.offset < offset + size and entry.data.startswith(HEAD):
                self.found.append((index, json.loads(entry.data[len(HEAD) :].rstrip(b"\0"))))
        if [line["n"] for _, line in self.found] != list(range(len(self.found))):
            raise ValueError("announcements are missing from the log")
        self.saved = sum(line["kind"] == "saved" for _, line in self.found)
        self.sums = {
            number: content for _, line in self.found if line["kind"] == "sum" for number, content in line["photos"]
        }
        self.place = 0
        self.state = {number: set(may) for number, _, may in before}
        self.names = {number: identifier for number, identifier, _ in before}

    def advance(self, end):
        """The possible places of each photo announced before entry `end`: its number and a set of live, trash and gone.

        A photo that is being deleted, restored or removed may be in either place until the end of that is announced.
        Call this in ascending order of `end`.
        """
        while self.place < len(self.found) and self.found[self.place][0] < end:
            line = self.found[self.place][1]
            self.place += 1
            if line["kind"] == "sum":
                continue
            for number, identifier in line["photos"]:
                self.names[number] = identifier
                may = self.state.setdefault(number, set())
                begun = {"deleting": {"live", "trash"}, "restoring": {"live", "trash"}, "emptying": {"trash", "gone"}}
                if line["kind"] in begun:
                    may |= begun[line["kind"]]
                else:
                    may.clear()
                    may.add({"saved": "live", "deleted": "trash", "restored": "live", "emptied": "gone"}[line["kind"]])
        return self.state

    def all(self):
        """The value of `before` for the next log."""
        return [[number, self.names[number], sorted(may)] for number, may in self.advance(1 << 62).items()]
