"""Computes the disks that a power cut may leave, and looks for the announced photos on each."""
import collections
import ctypes
import hashlib
import json
import mmap
import multiprocessing
import os
import re
import shutil
import sqlite3
import subprocess

import logged_disk
import write_log
from announcements import Announcements
from camera import Camera

CHUNK = 1 << 16
IDENTIFIER = re.compile(r"^(\d+-\d+)\.([0-9a-f]{32})\.[0-9A-Z_]+$")
PHOTO = re.compile(r"^(\d{3})[0-9A-Z_]{5}/[0-9A-Z_]{4}(\d{4})\.[0-9A-Z_]+$")
LISTED, TRASHED = 0, 1

_libc = ctypes.CDLL(None)
_libc.memcmp.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]


class Memory:
    """A file mapped for writing, with its address."""

    def __init__(self, path):
        with open(path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def write(self, offset, data):
        self.map[offset : offset + len(data)] = data


class CutDisk:
    """The disk at one cut after another. `kept` contains the flushed data; `work` is mounted and modified."""

    def __init__(self, start, folder, entries):
        self.path = folder + "/work.img"
        shutil.copyfile(start, folder + "/kept.img")
        shutil.copyfile(start, self.path)
        self.kept, self.work = Memory(folder + "/kept.img"), Memory(self.path)
        self.epochs, self.epoch, self.entries = write_log.epochs(entries), 0, entries

    def become(self, cut):
        """Cuts must be in ascending order."""
        epoch, end, subset = cut
        while self.epoch < epoch:
            for _, offset, data in self.epochs[self.epoch].pages:
                self.kept.write(offset, data)
            self.epoch += 1
        for at in range(0, len(self.kept.map), CHUNK):
            size = min(CHUNK, len(self.kept.map) - at)
            if _libc.memcmp(self.kept.address + at, self.work.address + at, size):
                self.work.map[at : at + size] = self.kept.map[at : at + size]
        pages = self.epochs[epoch].pages
        for place in range(len(pages)) if subset is None else subset:
            index, offset, data = pages[place]
            if index < end:
                self.work.write(offset, data)


class Recording:
    """A folder with `start.img`, the initial disk; `writes.log`, the log of its writes; and notes about both."""

    def __init__(self, folder):
        self.start = folder + "/start.img"
        with open(folder + "/recording.json", encoding="ascii") as file:
            known = json.load(file)
        self.entries = write_log.read(folder + "/writes.log")
        if known["killed"]:
            self.entries = write_log.settled(self.entries)
        self.state = known["state"]
        self.announcements = Announcements(
            self.entries, logged_disk.NOTES_AT, logged_disk.NOTES_SIZE, known["before"])
        self.sums = {**known["sums"], **self.announcements.sums}

    @staticmethod
    def note(folder, state, sums, before=(), killed=False):
        """Stores the notes: the state folder on the disk, checksums of photos, earlier announcements."""
        known = {"state": state, "sums": sums, "before": list(before), "killed": killed}
        with open(folder + "/recording.json", "w", encoding="ascii") as file:
            json.dump(known, file)


class Replay:
    """Replays a recording. Every `start_every`-th disk also starts the camera, which takes one more photo; 0: none."""

    def __init__(self, recording, folder, program, start_every):
        self.program, self.start_every, self.folder = program, start_every, folder
        self.recording = Recording(recording)
        self.sums, self.announcements = self.recording.sums, self.recording.announcements
        self.disk = CutDisk(self.recording.start, folder, self.recording.entries)
        self.place = folder + "/mnt"
        os.makedirs(self.place)
        self.before = {}
        self.result = {"cuts": 0, "looked_for": 0, "lost": 0, "corrupt": 0, "failed": 0, "starts": 0, "examples": []}

    def run(self, cuts):
        device = logged_disk.loop(self.disk.path)
        try:
            for count, cut in enumerate(cuts):
                self.disk.become(cut)
                self._one(device, cut, bool(self.start_every) and count % self.start_every == 0)
        finally:
            logged_disk.unloop(device)
        return self.result

    def _breach(self, kind, cut, text):
        self.result[kind] += 1
        if len(self.result["examples"]) < 10:
            epoch, end, subset = cut
            how = "all" if subset is None else f"{len(subset)} of {len(self.disk.epochs[epoch].pages)}"
            self.result["examples"].append(f"{kind}: {text} (flush {epoch}, entry {end}, pages written: {how})")

    def _one(self, device, cut, start):
        self.result["cuts"] += 1
        try:
            logged_disk.mount(device, self.place)
        except OSError as error:
            self._breach("failed", cut, str(error))
            return
        try:
            state = self.place + self.recording.state
            if os.path.isdir(state + "/library/.pinhole"):
                self._verify(state, cut)
            self._compare(state, cut)
            if start:
                self._start(state, cut)
        finally:
            logged_disk.unmount(self.place)

    def _verify(self, state, cut):
        done = subprocess.run([self.program, "--json", "--state", state, "verify"], capture_output=True, text=True,
                              timeout=120, check=False)
        try:
            found = json.loads(done.stdout.splitlines()[-1])
            if done.returncode != 0 or found["damaged"] or found["missing"] or found["ok"] != found["assets"]:
                self._breach("corrupt", cut, f"verify says {done.stdout.strip()}")
        except (ValueError, IndexError, KeyError):
            self._breach("failed", cut, f"verify ended with {done.returncode}: {done.stdout}{done.stderr}")

    def _compare(self, state, cut):
        """Checks that everything announced before the cut is where it must be, and that nothing else is broken."""
        library = state + "/library"
        live, trash = {}, {}
        for folder, _, files in os.walk(library + "/DCIM"):
            for file in files:
                path = os.path.join(folder, file)
                named = PHOTO.match(os.path.relpath(path, library + "/DCIM"))
                number = f"{named[1]}-{named[2]}" if named else path
                if number in live:
                    self._breach("corrupt", cut, f"two files of {number}")
                live[number] = self._content(path)
                if live[number] is None or self.sums.get(number, live[number]) != live[number]:
                    self._breach("corrupt", cut, f"{number} is not whole")
        if os.path.isdir(library + "/.pinhole/trash"):
            for file in os.listdir(library + "/.pinhole/trash"):
                named = IDENTIFIER.match(file)
                if named:
                    trash[named[1]] = self._content(f"{library}/.pinhole/trash/{file}")
        listed = self._catalog(library)
        self.before = self.announcements.advance(cut[1])
        for number, may in self.before.items():
            self.result["looked_for"] += 1
            identifier = self.announcements.names[number]
            whole = self.sums.get(number)
            # The naive writer has no catalog and no identifiers, only files.
            known = listed.get(number) if identifier else ("", LISTED)
            here = [
                "live" in may and number in live and live[number] == (whole or live[number])
                and known == (identifier, LISTED),
                "trash" in may and number in trash and trash[number] == (whole or trash[number])
                and known == (identifier, TRASHED),
                "gone" in may and number not in live and number not in trash and number not in listed,
            ]
            if not any(here):
                self._breach("lost", cut, f"{number} may be {sorted(may)}, but DCIM {number in live}, trash "
                             f"{number in trash}, catalog {listed.get(number)}")

    @staticmethod
    def _content(path):
        """The checksum of a complete JPEG; None for anything else."""
        with open(path, "rb") as file:
            content = file.read()
        if not content.startswith(b"\xff\xd8") or not content.endswith(b"\xff\xd9"):
            return None
        return hashlib.sha256(content).hexdigest()

    @staticmethod
    def _catalog(library):
        """Identifier and status of each number in the catalog."""
        path = library + "/.pinhole/catalog.sqlite"
        if not os.path.exists(path):
            return {}
        catalog = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            rows = catalog.execute("SELECT number, hex(identifier), status FROM asset").fetchall()
        finally:
            catalog.close()
        return {
            f"{number // 10000:03}-{number % 10000:04}": (identifier.lower(), status)
            for number, identifier, status in rows
        }

    def _start(self, state, cut):
        """Checks that the camera starts, lists the announced photos, and uses a number that was never announced."""
        self.result["starts"] += 1
        camera = Camera(self.program, state, self.folder + "/camera.conf")
        try:
            camera.start()
            listed = {photo["number"] for photo in camera.command("list")}
            for number, may in self.before.items():
                if may == {"live"} and number not in listed:
                    self._breach("lost", cut, f"{number} is not listed by the started camera")
            photo = camera.command("shoot")[-1]
            if "error" in photo:
                self._breach("failed", cut, f"the started camera takes no photo: {photo['error']}")
            elif photo["number"] in self.before:
                self._breach("corrupt", cut, f"{photo['number']} was given a second time")
        except (OSError, RuntimeError) as error:
            self._breach("failed", cut, str(error))
        finally:
            if camera.process.poll() is None:
                camera.stop()


def _work(job):
    """One worker's share of the cuts of a recording."""
    recorded, folder, program, start_every, cuts = job
    os.makedirs(folder)
    return Replay(recorded, folder, program, start_every).run(cuts)


def replay(recorded, folder, program, points, seed, start_every):
    """Replays a recording on all processors; returns the sum of all results, and examples of breaches."""
    workers = max(2, os.cpu_count() or 1)
    known = Recording(recorded)
    cuts = write_log.cuts(known.entries, 0, points, seed)
    jobs = [(recorded, f"{folder}/{worker}", program, start_every, cuts[worker::workers]) for worker in range(workers)]
    total, examples = collections.Counter(), []
    with multiprocessing.Pool(workers) as pool:
        for result in pool.imap_unordered(_work, jobs, 1):
            examples += result.pop("examples")
            total.update(result)
    total.update(
        writes=len(known.entries), flushes=sum(entry.flush for entry in known.entries),
        announced=known.announcements.saved,
        reordered=sum(cut[2] is not None for cut in cuts), lost=0, corrupt=0, failed=0)
    return total, examples


def report(name, result, examples, seconds):
    """Prints the figures for docs/reliability.md."""
    print(f"{name}: {result['writes']} writes and flushes, {result['flushes']} of them flushes, {result['announced']} "
          f"photos announced; {result['cuts']} cut points, {result['reordered']} of them with writes left out between "
          f"two flushes; announced photos looked for {result['looked_for']}, lost {result['lost']}, corrupt "
          f"{result['corrupt']}, not mounted, verified or started {result['failed']}; camera started "
          f"{result['starts']} times; {seconds:.0f} s", flush=True)
    for example in examples[:20]:
        print("  " + example, flush=True)
