"""The words of one line, of what two readers read in it: Latin with exact places, Hangul with the right order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kebab_ocr.hangul import HangulChar, HangulReader
from kebab_ocr.latin import Glyph, LatinReader, char_width, is_latin
from kebab_ocr.letter_cells import find_cells, read_cell
from kebab_ocr.line_ink import Blob, LineInk, find_ink

_LEAST_GLYPH = 0.5
"""Confidence from which a glyph counts; the recogniser is below it where it sees Hangul."""
_LEAST_INNER = 0.2
"""The same between two that count."""
_LEAST_RUN = 0.75
"""Mean confidence from which neighbouring glyphs count."""
_LEAST_ALONE = 0.9
"""The same for one letter and for strokes, for which parts of syllables are taken."""
_LEAST_BEHIND = 0.95
"""The same for one letter between a syllable and a space: most are its last part, as L of 너."""
_SURE = re.compile(r"[0-9A-Za-zÀ-ɏ.,:;!?%()→]")
_LEAST_HANGUL = 0.7
"""Mean confidence of Hangul below which a line is read once more."""
_ROOM = 12
"""Pixels around a line that is read once more."""
_LUMA = np.array([0.114, 0.587, 0.299], np.float32)
"""Weights of blue, green and red."""
_SURE_STROKES = 0.95
"""Confidence below which a nought and a stroke are a syllable."""
_STROKES = frozenset("_|")
"""What Tesseract makes of noise and of vowels; where they stand the recogniser reads them."""
_DOTS = frozenset("·•")
_DOT_EM = 0.25
"""Width and height of a middle dot at most."""
_NUMERIC = frozenset("0123456789.,:/-")
_LEAST_HANGUL_EM = 0.3
"""Ink that Latin does not explain and that is wider is Hangul."""
_EDGE_EM = 0.35
"""How far the end of a run may be from where the width of its last glyph puts it."""
_CUT_WORD_COST = 0.4
"""Of dividing what Tesseract takes for one word, in heights of a syllable."""


class LineWord(NamedTuple):
    """A word of a line with its place, in pixels of the line's picture."""

    text: str
    start: float
    end: float
    top: float
    bottom: float
    confidence: float
    """Mean of its characters, 0 to 1."""


class _Piece(NamedTuple):
    """Characters without a space among them."""

    text: str
    start: float
    end: float
    confidences: list[float]
    is_spaced: bool = False
    """Whether its reader saw a space before it."""


def read_line(picture: NDArray[np.uint8], latin: LatinReader, hangul: HangulReader) -> list[LineWord]:
    """Return the words of a line from left to right.

    Args:
        picture: BGR of shape (LINE_HEIGHT, width, 3).
        latin: Reads letters, digits and signs.
        hangul: Reads what is left.
    """
    glyphs = latin.read(picture)
    ink = find_ink((picture @ _LUMA).astype(np.uint8), glyphs)
    pieces, letters = _read_pieces(picture, glyphs, ink, latin=latin, hangul=hangul)
    if letters:
        rest = [g for g in glyphs if all(abs(g.x - letter.x) > ink.em / 2 for letter in letters)]
        glyphs = sorted(rest + letters, key=lambda glyph: glyph.x)
        pieces, _ = _read_pieces(picture, glyphs, ink, latin=latin, hangul=hangul)
    return [
        LineWord(
            word.text, word.start, word.end, *ink.rows(word.start, word.end), float(np.mean(word.confidences))
        )
        for word in _join_pieces(sorted(pieces, key=lambda piece: piece.start), ink.em)
    ]


def _read_pieces(
    picture: NDArray[np.uint8],
    glyphs: Sequence[Glyph],
    ink: LineInk,
    *,
    latin: LatinReader,
    hangul: HangulReader,
) -> tuple[list[_Piece], list[Glyph]]:
    """Return the pieces of a line, and its letters if Tesseract took one for a syllable: without them it reads the rest better."""
    runs = list(_find_runs(glyphs, ink))
    spans = [_run_span(run, ink) for run in runs]
    pieces = [piece for run, span in zip(runs, spans, strict=True) for piece in _latin_pieces(run, span, ink)]
    segments = list(_free_segments(spans, ink))
    if not segments:
        return pieces, []
    chars = _read_free(ink, spans, hangul)
    blobs = [blob for segment in segments for blob in segment]
    cells = [(cell, read_cell(picture, cell, ink, latin)) for cell in find_cells(chars, blobs, ink)]
    letters = [glyph for _, found in cells for glyph in found]
    is_misled = any(found for cell, found in cells if cell.is_syllable)
    for cell, found in reversed(cells):
        if found:
            chars[cell.start : cell.end] = _replace_chars(chars[cell.start], found)
    chars = [char for char in chars if char.char not in _STROKES]
    return pieces + list(_hangul_pieces(chars, segments, ink)), letters if is_misled else []


def _replace_chars(first: HangulChar, glyphs: Sequence[Glyph]) -> list[HangulChar]:
    """The characters of glyphs that stand where others were read, the first of which is given."""
    return [
        HangulChar(
            glyph.char, glyph.x, glyph.confidence, first.is_spaced and not at, glyph.x, glyph.confidence
        )
        for at, glyph in enumerate(glyphs)
    ]


def _find_runs(glyphs: Sequence[Glyph], ink: LineInk) -> Iterator[list[Glyph]]:
    """Yield runs of Latin glyphs, spaces among them; none of Hangul stands inside of one."""
    run: list[Glyph] = []
    is_behind, last = False, " "
    for glyph in _confirm_dots(_drop_signs_of_syllables(glyphs), ink):
        before, last = last, glyph.char
        if glyph.char == " ":
            if run:
                run.append(glyph)
            continue
        is_read = all(map(is_latin, glyph.char)) and glyph.confidence >= _LEAST_INNER
        if run and (not is_read or _is_apart(run, glyph, ink)):
            yield from _keep_run(run, is_behind=is_behind)
            run = []
        if is_read:
            is_behind = is_behind if run else before != " "
            run.append(glyph)
    yield from _keep_run(run, is_behind=is_behind)


def _drop_signs_of_syllables(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Take out what is read where a syllable stands."""
    kept: list[Glyph] = []
    for glyph in glyphs:
        if (
            glyph.char == "|"
            and kept
            and kept[-1].char in "0O"
            and min(glyph.confidence, kept[-1].confidence) < _SURE_STROKES
        ):
            kept[-1] = kept[-1]._replace(confidence=0.0)
            continue
        kept.append(glyph)
    return kept


def _confirm_dots(glyphs: Sequence[Glyph], ink: LineInk) -> Iterator[Glyph]:
    """Yield the glyphs, middle dots at their ink and sure where it is as small as one and half way up."""
    top, bottom = ink.rows(0, ink.mask.shape[1])
    reach = _DOT_EM * ink.em
    for glyph in glyphs:
        dots = []
        if glyph.char in _DOTS:
            near = [blob for blob in ink.blobs if blob.start - reach <= glyph.x < blob.end + reach]
            for start, end in near:
                first, last = ink.rows(start, end)
                if max(last - first, end - start) <= reach and abs(first + last - top - bottom) <= 2 * reach:
                    dots.append((start + end) / 2)
        yield glyph._replace(x=dots[0], confidence=1.0) if len(dots) == 1 else glyph


def _is_apart(run: Sequence[Glyph], glyph: Glyph, ink: LineInk) -> bool:
    """Whether there is ink for Hangul between a run and the next glyph."""
    last = next(each for each in reversed(run) if each.char != " ")
    start = last.x + last.width_em * ink.em / 2
    end = glyph.x - glyph.width_em * ink.em / 2
    free = sum(max(0.0, min(end, blob.end) - max(start, blob.start)) for blob in ink.blobs)
    return free > _LEAST_HANGUL_EM * ink.em


def _keep_run(run: list[Glyph], *, is_behind: bool) -> Iterator[list[Glyph]]:
    """Yield a run, before which a syllable may stand, without unsure glyphs at its ends, if the rest is sure enough."""
    sure = [at for at, glyph in enumerate(run) if glyph.char != " " and glyph.confidence >= _LEAST_GLYPH]
    if not sure:
        return
    run = _trim(run[sure[0] : sure[-1] + 1], _LEAST_BEHIND if is_behind and not sure[0] else _LEAST_ALONE)
    confidence = float(np.mean([glyph.confidence for glyph in run if glyph.char != " "]))
    text = "".join(glyph.char for glyph in run)
    is_part_of_syllable = (len(text) == 1 and text.isalpha()) or not _SURE.search(text)
    if confidence >= (_LEAST_ALONE if is_part_of_syllable else _LEAST_RUN):
        yield run


def _trim(run: list[Glyph], least: float = _LEAST_ALONE) -> list[Glyph]:
    """Leave off single unsure letters that stand before or behind a space; the first is sure from a confidence on."""
    at = [index for index, glyph in enumerate(run) if glyph.char == " "]
    if at and at[0] == 1 and run[0].confidence < least:
        return _trim(run[2:])
    if at and at[-1] == len(run) - 2 and run[-1].confidence < _LEAST_ALONE:
        return _trim(run[:-2])
    return run


def _run_span(run: Sequence[Glyph], ink: LineInk) -> Blob:
    """The columns that a run takes: it ends in the gaps of the ink that fit the widths of its outer glyphs best."""
    first, last = run[0], run[-1]
    start = _edge(first.x, -first.width_em * ink.em / 2, ink)
    end = _edge(last.x, last.width_em * ink.em / 2, ink)
    inside = [blob for blob in ink.blobs if blob.end > start and blob.start < end]
    if not inside:
        return Blob(round(start), round(end))
    return Blob(max(round(start), inside[0].start), min(round(end), inside[-1].end))


def _edge(x: float, reach: float, ink: LineInk) -> float:
    """Where a glyph ends that should reach so far from its middle: in the gap that fits best, or there if none does."""
    x = ink.nearest(x)
    expected = x + reach
    best, chosen = -0.12 * ink.em, expected
    for start, end in ink.gaps():
        if (end > x if reach < 0 else start < x) or start == end == 0:
            continue
        middle = min(max(expected, start), end)
        value = min(end - start, 0.25 * ink.em) * 0.5 - abs(middle - expected)
        if abs(middle - expected) <= _EDGE_EM * ink.em and value > best:
            best, chosen = value, middle if end - start > ink.em else (start + end) / 2
    return chosen


def _latin_pieces(run: Sequence[Glyph], span: Blob, ink: LineInk) -> Iterator[_Piece]:
    """Yield the words of a run."""
    words: list[list[Glyph]] = [[]]
    for glyph in run:
        if glyph.char == " ":
            words.append([])
        else:
            words[-1].append(glyph)
    words = [part for word in words if word for part in _split_at_gaps(word, ink)]
    start = float(span.start)
    for index, word in enumerate(words):
        end = float(span.end)
        following = end
        if index + 1 < len(words):
            gap = _widest_gap(word[-1].x, words[index + 1][0].x, ink)
            end, following = gap
        yield _Piece("".join(g.char for g in word), start, end, [g.confidence for g in word], index > 0)
        start = following


def _split_at_gaps(word: Sequence[Glyph], ink: LineInk) -> Iterator[list[Glyph]]:
    """Yield the parts of a word that is divided where there is room for a space that the recogniser left out."""
    part = [word[0]]
    for one, two in pairwise(word):
        start, end = _widest_gap(one.x, two.x, ink)
        if end - start > _space_em(one.char, two.char) * ink.em:
            yield part
            part = []
        part.append(two)
    yield part


def _space_em(before: str, after: str) -> float:
    """Room between two characters from which a space stands there, in heights of a syllable."""
    if after in ".,:;!?)]}%" or (before in _NUMERIC and after in _NUMERIC):
        return 0.6
    if before in _DOTS or after in _DOTS:
        return 0.5
    if before in ".," and after.isalpha():
        return 0.22
    if before in "([{" or after in "([{" or before == ")":
        return 0.32
    if is_latin(before) and is_latin(after):
        return 0.32 if after.isalpha() else 0.42
    return 0.2


def _widest_gap(start: float, end: float, ink: LineInk) -> tuple[float, float]:
    """The widest stretch without ink between two columns; the middle where there is none."""
    room = 0.1 * ink.em
    gaps = [gap for gap in ink.gaps()[1:-1] if gap[0] >= start - room and gap[1] <= end + room]
    middle = (start + end) / 2
    return max(gaps, key=lambda gap: gap[1] - gap[0], default=(middle, middle))


def _free_segments(spans: Sequence[Blob], ink: LineInk) -> Iterator[list[Blob]]:
    """Yield the ink between the runs, what is too little for a syllable left out."""
    borders = [(-1, 0), *spans, (1 << 30, 1 << 30)]
    for (_, start), (end, _) in pairwise(borders):
        blobs = [
            Blob(max(blob.start, start), min(blob.end, end))
            for blob in ink.blobs
            if min(blob.end, end) - max(blob.start, start) > 1
        ]
        if sum(blob.end - blob.start for blob in blobs) > _LEAST_HANGUL_EM * ink.em:
            yield blobs


def _read_free(ink: LineInk, spans: Sequence[Blob], hangul: HangulReader) -> list[HangulChar]:
    """Read a line without the ink of its runs, or with it where Tesseract sees no line in what is left."""
    gray = ink.gray.copy()
    for start, end in spans:
        gray[:, max(0, start - 1) : end + 1] = 255
    if chars := _read_surer(gray, hangul):
        return chars
    return [
        char
        for char in hangul.read(ink.gray)
        if "가" <= char.char <= "힣" or not any(start <= char.x < end for start, end in spans)
    ]


def _read_surer(gray: NDArray[np.uint8], hangul: HangulReader) -> list[HangulChar]:
    """Read a line, and where it is unsure once more with room around it: it is as sure as that if the same is read."""
    chars = hangul.read(gray)
    if not chars or np.mean([char.confidence for char in chars]) >= _LEAST_HANGUL:
        return chars
    again = hangul.read(np.pad(gray, _ROOM, constant_values=255))
    if [char.char for char in again] != [char.char for char in chars]:
        return chars
    pairs = zip(chars, again, strict=True)
    return [one._replace(confidence=max(one.confidence, two.confidence)) for one, two in pairs]


def _hangul_pieces(
    chars: Sequence[HangulChar], segments: Sequence[list[Blob]], ink: LineInk
) -> Iterator[_Piece]:
    """Yield the words of Hangul, each at its ink."""
    for blobs, part in zip(segments, _divide(chars, segments, ink.em), strict=True):
        words: list[list[HangulChar]] = []
        for char in part:
            if char.is_spaced or not words:
                words.append([])
            words[-1].append(char)
        yield from _place_words(words, blobs, ink)


def _divide(
    chars: Sequence[HangulChar], segments: Sequence[list[Blob]], em: float
) -> Iterator[Sequence[HangulChar]]:
    """Yield the characters of each segment, in order: where widths and rough places fit best."""
    if not chars:
        return iter([()] * len(segments))
    count = len(chars)
    widths = np.concatenate([[0.0], np.cumsum([char_width(char.char) for char in chars])])
    places = np.array([char.x for char in chars])
    cuts = np.array([0.0, *((0.0 if char.is_spaced else _CUT_WORD_COST) for char in chars[1:]), 0.0])
    best = np.full(count + 1, np.inf)
    best[0] = 0.0
    choices = []
    for blobs in segments:
        start, end = blobs[0].start, blobs[-1].end
        away = np.maximum(0.0, np.maximum(start - places, places - end)) / em
        away = np.concatenate([[0.0], away.cumsum()])
        # cost[i, j]: characters i to j - 1 are in this segment
        misfit = np.abs(widths[None, :] - widths[:, None] - (end - start) / em) * 0.5
        cost = best[:, None] + misfit + (away[None, :] - away[:, None]) + cuts[None, :]
        cost[np.tri(count + 1, k=-1, dtype=bool)] = np.inf
        choices.append(cost.argmin(axis=0))
        best = cost.min(axis=0)
    ends = [count]
    for choice in reversed(choices):
        ends.append(int(choice[ends[-1]]))
    ends.reverse()
    return (chars[one:two] for one, two in pairwise(ends))


def _place_words(
    words: Sequence[Sequence[HangulChar]], blobs: Sequence[Blob], ink: LineInk
) -> Iterator[_Piece]:
    """Yield words at stretches of ink whose widths are as the widths of their characters."""
    widths = [sum(char_width(char.char) for char in word) for word in words]
    gaps = [(one.end, two.start) for one, two in pairwise(blobs)]
    start, end = float(blobs[0].start), float(blobs[-1].end)
    for index, word in enumerate(words):
        stop = following = end
        if index + 1 < len(words):
            rest = sum(widths[index:]) + 0.3 * (len(words) - index - 1)
            expected = start + (end - start) * (widths[index] + 0.15) / rest
            open_gaps = [gap for gap in gaps if start < gap[0] < end]
            stop, following = max(
                open_gaps,
                key=lambda gap: min(gap[1] - gap[0], 0.5 * ink.em) - abs(sum(gap) / 2 - expected) * 0.35,
                default=(expected, expected),
            )
        yield _Piece(
            "".join(char.char for char in word), start, stop, [char.confidence for char in word], index > 0
        )
        start = following


def _join_pieces(pieces: Sequence[_Piece], em: float) -> Iterator[_Piece]:
    """Yield words; pieces without room between them are one."""
    word: _Piece | None = None
    for piece in pieces:
        if (
            word is not None
            and not piece.is_spaced
            and piece.start - word.end < _space_em(word.text[-1], piece.text[0]) * em
        ):
            word = _Piece(
                word.text + piece.text,
                word.start,
                max(word.end, piece.end),
                word.confidences + piece.confidences,
                word.is_spaced,
            )
            continue
        if word is not None:
            yield word
        word = piece
    if word is not None:
        yield word
