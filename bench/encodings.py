"""Short notes in encodings that say nothing of themselves: `python -m bench.encodings [LOCALES] [--messages 300] [--seed 1]`.

Messages of the translated programs of a system, by their number of native characters: the share that is read as it was
written, that is told to be unreadable, and that is read as something else.
"""

from __future__ import annotations

import argparse
import gettext
import random
from collections.abc import Iterator
from pathlib import Path

from kebab_core import UnsupportedMediaError
from kebab_parse import decode_text

_SIZES = {"2–3": range(2, 4), "4–7": range(4, 8), "8–15": range(8, 16)}
_SETS = (
    ("ko", "cp949"),
    ("ko", "johab"),
    ("zh_CN", "gb18030"),
    ("zh_TW", "big5"),
    ("ja", "cp932"),
    ("ja", "euc_jp"),
    ("ru", "cp1251"),
    ("ru", "koi8_r"),
    ("de", "cp1252"),
    ("de", "mac_roman"),
    ("fr", "cp1252"),
    ("fr", "mac_roman"),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("locales", nargs="?", type=Path, default=Path("/usr/share/locale"))
    parser.add_argument("--messages", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print("| set | characters | notes | right | unreadable | wrong |\n|---|---|---|---|---|---|")
    for locale, encoding in _SETS:
        messages = sorted(set(_read_messages(given.locales / locale)))
        for size, counts in _SIZES.items():
            notes = [each for each in messages if _fits(each, encoding, counts)]
            chosen = random.Random(given.seed).sample(notes, min(given.messages, len(notes)))  # noqa: S311 - the same each time
            read = [_read(note.encode(encoding)) for note in chosen]
            right = sum(text == note for text, note in zip(read, chosen, strict=True))
            told, all_of = read.count(None), max(1, len(chosen))
            shares = (right, told, len(chosen) - right - told)
            shown = " | ".join(f"{share / all_of:.3f}" for share in shares)
            print(f"| {locale} {encoding} | {size} | {len(chosen)} | {shown} |", flush=True)


def _read_messages(folder: Path) -> Iterator[str]:
    for file in sorted(folder.glob("LC_MESSAGES/*.mo")):
        try:
            with file.open("rb") as opened:
                catalogue = gettext.GNUTranslations(opened)
        except UnicodeError:
            continue
        for text in catalogue._catalog.values():  # type: ignore[attr-defined]  # noqa: SLF001 - there is no other way
            yield from (line.strip() for line in str(text).splitlines())


def _fits(text: str, encoding: str, counts: range) -> bool:
    try:
        native = sum(char.isalpha() and not char.isascii() for char in text)
        return native in counts and text == text.encode(encoding).decode(encoding)
    except UnicodeError:
        return False


def _read(content: bytes) -> str | None:
    try:
        return decode_text(content).text
    except UnsupportedMediaError:
        return None


if __name__ == "__main__":
    main()
