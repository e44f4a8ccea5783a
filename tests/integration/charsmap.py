"""Packs replacements into the form that `tokenizers` normalises by: a double array, as darts-clone lays it out."""

from collections import deque

_LEAF = 1 << 31
_HAS_LEAF = 1 << 8
_OFFSET_SHIFT = 10
_LARGEST_OFFSET = 1 << 21


def pack_charsmap(replacements: dict[str, str]) -> bytes:
    """Return a `precompiled_charsmap`."""
    values = bytearray()
    at = {}
    for key, value in replacements.items():
        at[key.encode()] = len(values)
        values += value.encode() + b"\0"
    units = _DoubleArray(at).units
    packed = b"".join(unit.to_bytes(4, "little") for unit in units)
    return len(packed).to_bytes(4, "little") + packed + bytes(values)


class _DoubleArray:
    def __init__(self, entries: dict[bytes, int]) -> None:
        self.units = [0] * 256
        self.taken = [True] + [False] * 255
        self.bases: set[int] = set()
        waiting = deque([(0, b"")])
        below = _children(entries)
        while waiting:
            at, key = waiting.popleft()
            labels = sorted(below.get(key, ()))
            base = self._base(labels)
            assert at ^ base < _LARGEST_OFFSET
            self.units[at] |= (at ^ base) << _OFFSET_SHIFT
            for label in labels:
                self.taken[base ^ label] = True
                if label:
                    self.units[base ^ label] |= label
                    longer = key + bytes([label])
                    if longer in below:
                        waiting.append((base ^ label, longer))
                else:
                    self.units[at] |= _HAS_LEAF
                    self.units[base] = entries[key] | _LEAF

    def _base(self, labels: list[int]) -> int:
        # gaps further back are left alone, or the search would take longer and longer
        slot = max(1, len(self.units) - 2 * 256)
        while True:
            base = slot ^ labels[0]
            if base not in self.bases and not any(self.taken[base ^ label] for label in labels):
                self.bases.add(base)
                return base
            slot += 1
            self._grow(slot)

    def _grow(self, at: int) -> None:
        if at >= len(self.units):
            self.units += [0] * 256
            self.taken += [False] * 256


def _children(entries: dict[bytes, int]) -> dict[bytes, set[int]]:
    """Return the bytes that can follow each beginning of a key; 0 where a key ends."""
    below: dict[bytes, set[int]] = {}
    for key in entries:
        for end in range(len(key)):
            below.setdefault(key[:end], set()).add(key[end])
        below.setdefault(key, set()).add(0)
    return below
