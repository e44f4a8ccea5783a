"""What an embedder needs of a tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Tokenizer(Protocol):
    """Cuts texts into the numbers that a model knows."""

    @property
    def head(self) -> Sequence[int]:
        """What stands before every text."""
        ...

    @property
    def tail(self) -> Sequence[int]:
        """What stands behind every text."""
        ...

    @property
    def pad(self) -> int:
        """What fills up shorter texts of a batch."""
        ...

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the tokens of each text, of any length, without head and tail."""
        ...
