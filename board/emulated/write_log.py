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
    """The entries of a log. The count in its head is old, so what lies behind it is read too, up to the first zeros."""
    entries = []
    with open(path, "rb") as log:
        magic, version, count, sector = struct.unpack("<QQQI", log.read(28))
        if (magic, version) != (MAGIC, 1):
            raise ValueError(f"{path} is no write log")
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
                raise ValueError("the log has a discard, which the replay does not know")
            log.seek(position + sector)
            data = log.read(length * sector)
            if len(data) < length * sector:
                return entries
            entries.append(Entry(start * sector, data, bool(flags & FLUSH)))
            position += sector + length * sector


def settled(entries):
    """The entries up to the last flush: what a killed emulator was writing then may be in its log in part."""
    while entries and not entries[-1].flush:
        entries = entries[:-1]
    return entries


class Epoch:
    """What was written between two flushes, in pieces of a page: a long write may be cut as well."""

    def __init__(self, first):
        self.first, self.end, self.pieces = first, first, []

    def add(self, index, entry):
        at = 0
        while at < len(entry.data):
            room = PAGE - (entry.offset + at) % PAGE
            self.pieces.append((index, entry.offset + at, entry.data[at : at + room]))
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
    """Cut points from entry `first` on, as (epoch, entries before the cut, None or the pieces that reached the disk).

    Each entry is one, with all before it written; if these are more than half of `wanted`, so many drawn from them.
    The rest, up to `wanted`, are random subsets between two flushes: an entry of the epoch is drawn as the moment of
    the cut, and each page written since the flush is kept or not. A page that was written twice may keep the older
    content. Nothing older comes over something newer, as no disk does.
    """
    source = random.Random(seed)
    found, seen, open_epochs = [], set(), []
    for number, epoch in enumerate(epochs(entries)):
        for end in range(epoch.first, epoch.end):
            if end >= first:
                found.append((number, end + 1, None))
        if len(epoch.pieces) > 1 and epoch.end > first:
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
            place for place, piece in enumerate(epoch.pieces) if piece[0] < end and source.random() < share
        )
        if (number, end, kept) not in seen:
            seen.add((number, end, kept))
            found.append((number, end, kept))
    return sorted(found, key=lambda cut: (cut[0], cut[1], cut[2] or ()))
