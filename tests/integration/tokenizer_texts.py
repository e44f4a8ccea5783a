"""Texts that a tokenizer can get wrong, the same on every machine."""

import random
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from tests.integration.piece_table import PieceTable

COUNT = 1200
"""Texts of each kind."""

SPECIAL = ["<s>", "</s>", "<pad>", "<unk>", "<mask>", "<S>", "＜s＞", "< s>", "<<s>>", "<mask", "s>"]
EMOJI = ["👍🏽", "👨‍👩‍👧", "🇰🇷", "❤️", "1️⃣", "™", "ℹ️", "©‍™", "🍢", "☺", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "㊗", "Ⓜ", "‼", "👩‍💻"]
SPACES = [
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\u00a0",
    "\u3000",
    "\u200b",
    "\ufeff",
    "\x00",
    "\x07",
    "\x9f",
    "\u2028",
    "▁",
]
JAMO = "ᄀᄒ힣ᅡᅵᆨᇂㄱㅋㅎㅏㅣｱﾞ"


class Texts:
    """Makes texts of the pieces and characters of a table."""

    def __init__(self, table: PieceTable) -> None:
        words = [piece for piece in table.pieces[4:-1] if piece.strip("▁")]
        self.english = [piece for piece in words if piece.isascii() or piece.lstrip("▁").isascii()]
        self.korean = [piece for piece in words if any("가" <= character <= "힣" for character in piece)]
        self.words = words
        self.replaced = sorted(table.replacements)
        self.classes = table.classes

    def kinds(self) -> dict[str, Callable[[random.Random], str]]:
        """Return what makes a text of each kind."""
        return {
            "korean": lambda chance: self._joined(chance, self.korean),
            "english": lambda chance: self._joined(chance, self.english),
            "every language": lambda chance: self._joined(chance, self.words),
            "decomposed": lambda chance: unicodedata.normalize("NFD", self._joined(chance, self.korean)),
            "emoji": lambda chance: self._mixed(chance, EMOJI, self.korean),
            "special": lambda chance: self._mixed(chance, SPECIAL, self.english),
            "spaces and controls": lambda chance: self._mixed(chance, SPACES, self.words),
            "jamo": lambda chance: self._mixed(chance, list(JAMO), ["\u0301", " ", "ᆫ"]),
            "repeated": self._repeated,
            "replaced": lambda chance: self._mixed(chance, self.replaced, self.words),
            "joined characters": self._joined_characters,
            "any character": lambda chance: "".join(_any(chance) for _ in range(1 + chance.randrange(12))),
        }

    def make(self, kind: str) -> list[str]:
        """Return all texts of a kind; the last are long, one of them without a space."""
        chance = random.Random(kind)  # noqa: S311
        texts = [self.kinds()[kind](chance) for _ in range(COUNT)]
        return [*texts, "\n".join(texts[:300]), "".join("".join(texts[:300]).split())]

    def _joined(self, chance: random.Random, words: list[str]) -> str:
        marks = ["", " ", " ", ", ", ". ", "(", "-", "1", "2026"]
        parts = [
            _one(chance, words).replace("▁", " ") + _one(chance, marks) for _ in range(chance.randrange(20))
        ]
        return "".join(parts)

    def _mixed(self, chance: random.Random, first: list[str], second: list[str]) -> str:
        parts = [
            _one(chance, second if chance.randrange(3) == 0 else first) for _ in range(chance.randrange(9))
        ]
        return "".join(parts)

    def _repeated(self, chance: random.Random) -> str:
        unit = "".join(_one(chance, [*"ㅋㅎㅠ=-.ab가"]) for _ in range(1 + chance.randrange(3)))
        return unit * (1 + chance.randrange(40)) + _one(chance, self.korean)

    def _joined_characters(self, chance: random.Random) -> str:
        sources = [*self.classes, "aª™ａ\u0301\u0308\u200d क़"]
        return "".join(_one(chance, [*_one(chance, sources)]) for _ in range(2 + chance.randrange(5)))


def _one(chance: random.Random, items: list[str]) -> str:
    # unlike choice, the same in every version of Python
    return items[int(chance.random() * len(items))]


def _any(chance: random.Random) -> str:
    ranges = [0x20, 0x300, 0x3100, 0xD800, 0xE000, 0x10FFFF]
    bounds = [pair for pair in pairwise(ranges) if pair != (0xD800, 0xE000)]
    low, high = bounds[int(chance.random() * len(bounds))]
    return chr(low + int(chance.random() * (high - low)))
