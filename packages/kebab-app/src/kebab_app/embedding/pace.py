"""How many chunks make one batch: few enough that progress moves and Ctrl-C is heard, enough to be worth a commit."""

from __future__ import annotations

FIRST, LEAST, MOST = 32, 16, 512
TARGET_MS = 4_000


class Pace:
    """Follows the speed of the batches so far; it more than doubles at no time."""

    def __init__(self) -> None:
        self.size = FIRST

    def note(self, *, chunks: int, ms: int) -> None:
        """Learn from a batch that is done."""
        fitting = chunks * TARGET_MS // ms if ms > 0 else MOST
        self.size = max(LEAST, min(fitting, 2 * self.size, MOST))
