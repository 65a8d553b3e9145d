"""The write log of QEMU's blklogwrites (the format of dm-log-writes), and the disks that a power cut may leave."""
import random
import struct

MAGIC = 0x6A736677736872
FLUSH, DISCARD = 1, 4
PAGE = 4096


class Entry:
    """One write or flush; `data` is empty for a flush."""

    __slots__ = ("offset", "data", "flush")

    def __init__(self, offset, data, flush):
        self.offset, self.data, self.flush = offset, data, flush


def read(path):
    """The entries of a log. The count in its header may be outdated, so reading continues up to the first zeros."""
    entries = []
    with open(path, "rb") as log:
        magic, version, count, sector = struct.unpack("<QQQI", log.read(28))
        if (magic, version) != (MAGIC, 1):
            raise ValueError(f"{path} is not a write log")
        position = sector
        while True:
            log.seek(position)
            head = log.read(32)
            if len(head) < 32:
                return entries
            start, length, flags, _ = struct.unpack("<QQQQ", head)
            if len(entries) >= count and not (start or length or flags):
                return entries
            if flags & DISCARD:
                raise ValueError("the log contains a discard, which the replay does not support")
            log.seek(position + sector)
            data = log.read(length * sector)
            if len(data) < length * sector:
                return entries
            entries.append(Entry(start * sector, data, bool(flags & FLUSH)))
            position += sector + length * sector


def settled(entries):
    """The entries up to the last flush: later entries of a killed emulator may be incomplete."""
    while entries and not entries[-1].flush:
        entries = entries[:-1]
    return entries


class Epoch:
    """The pages written between two flushes: a cut can also split a long write."""

    def __init__(self, first):
        self.first, self.end, self.pages = first, first, []

    def add(self, index, entry):
        at = 0
        while at < len(entry.data):
            room = PAGE - (entry.offset + at) % PAGE
            self.pages.append((index, entry.offset + at, entry.data[at : at + room]))
            at += room
        self.end = index + 1


def epochs(entries):
    """The epochs of a log; a flush makes everything before it durable."""
    found = [Epoch(0)]
    for index, entry in enumerate(entries):
        found[-1].add(index, entry)
        if entry.flush:
            found.append(Epoch(index + 1))
    return found


def cuts(entries, first, wanted, seed):
    """Cut points from entry `first` on, as (epoch, entries before the cut, None or the pages that reached the disk).

    After each entry there is a cut point with all earlier entries written; at most half of `wanted` are such points,
    chosen at random. The others are random subsets between two flushes: a random entry of the epoch is the moment of
    the cut, and each page written since the flush is kept or dropped. A page that was written twice may keep the older
    content, but older content never replaces newer content.
    """
    source = random.Random(seed)
    found, seen, open_epochs = [], set(), []
    for number, epoch in enumerate(epochs(entries)):
        for end in range(epoch.first, epoch.end):
            if end >= first:
                found.append((number, end + 1, None))
        if len(epoch.pages) > 1 and epoch.end > first:
            open_epochs.append((number, epoch))
    if len(found) > wanted // 2:
        found = source.sample(found, wanted // 2)
    tries = 0
    while len(found) < wanted and open_epochs and tries < 20 * wanted:
        tries += 1
        number, epoch = source.choice(open_epochs)
        end = source.randint(max(epoch.first, first), epoch.end)
        share = source.choice((0.1, 0.5, 0.9))
        kept = tuple(
            place for place, page in enumerate(epoch.pages) if page[0] < end and source.random() < share
        )
        if (number, end, kept) not in seen:
            seen.add((number, end, kept))
            found.append((number, end, kept))
    return sorted(found, key=lambda cut: (cut[0], cut[1], cut[2] or ()))
