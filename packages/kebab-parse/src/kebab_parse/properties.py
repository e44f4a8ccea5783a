"""Properties of a document as text: the description, authors and keywords that a file states and its text does not hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from kebab_core import (
    Block,
    CaptionSpan,
    CellSpan,
    DocumentId,
    ExtractedText,
    LineSpan,
    PageSpan,
    ParagraphBlock,
    RegionSpan,
    SlideSpan,
    SourceSpan,
    TextPart,
    block_id_for,
    parse_cells,
)
from pydantic import JsonValue

from kebab_parse.text_writer import split_lines

_WORD = re.compile(r"[^\W_]+")
_COMPARED_WORDS = 12
"""Words from the beginning of a longer property that tell whether the text holds it."""
_GAP = "\n\n"
"""Text between two blocks of a page or slide."""


def add_properties(
    blocks: Sequence[Block],
    text: ExtractedText,
    values: Mapping[str, JsonValue],
    *,
    doc_id: DocumentId,
    known: Collection[str],
) -> tuple[tuple[Block, ...], ExtractedText]:
    """Return the blocks and the text of a document with its properties as last paragraph of its last page, slide or row.

    A document without text, one of regions or stretches of time, and one without such properties stay as they are. Captions,
    which are written about the document, follow the properties.

    Args:
        blocks: In reading order.
        text: What their spans count in.
        values: What the file says about itself, under the keys of front matter.
        doc_id: The document.
        known: Its titles, and names that others gave it, which are no properties.
    """
    lines = _property_lines(values, text.text, known) if text.text else ()
    added = _append("\n".join(lines), text) if lines else None
    if added is None:
        return tuple(blocks), text
    span, grown = added
    count = sum(block.kind == "paragraph" and not block.heading_path for block in blocks)
    block_id = block_id_for(
        doc_id=doc_id, block_kind="paragraph", heading_path=(), ordinal=count, source_span=span
    )
    paragraph = ParagraphBlock(block_id=block_id, heading_path=(), source_span=span, text="\n".join(lines))
    end = next((at for at, block in enumerate(blocks) if _is_behind(block.source_span, span)), len(blocks))
    return (*blocks[:end], paragraph, *blocks[end:]), grown


def _property_lines(values: Mapping[str, JsonValue], text: str, known: Collection[str]) -> list[str]:
    """Return the description, and authors and keywords as fields; nothing that the text or one of the names says."""
    names = [_words(name) for name in known]

    def find_new(*keys: str) -> list[str]:
        found = dict.fromkeys(line for key in keys for line in _lines_of(values.get(key)))
        return [line for line in found if _words(line) not in names and not _holds(text, _words(line))]

    fields = {"author": find_new("author"), "keywords": find_new("tags", "subject", "category")}
    listed = [f"{name}: {', '.join(lines)}" for name, lines in fields.items() if lines]
    return [*find_new("description"), *listed]


def _lines_of(value: JsonValue) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and _words(line := " ".join(split_lines(each))):
            yield line


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _holds(text: str, words: Sequence[str]) -> bool:
    """Whether a text holds these words in this order; behind another script a particle in Hangul may follow."""
    letter = r"[^\W_]" if "가" <= words[-1][-1] <= "힣" else r"[^\W_가-힣]"
    told = r"[\W_]++".join(words[:_COMPARED_WORDS])
    return re.search(rf"(?<![^\W_]){told}(?!{letter})", text, re.IGNORECASE) is not None


def _append(added: str, text: ExtractedText) -> tuple[SourceSpan, ExtractedText] | None:
    """Return the place of a text behind all others, and the text with it; None where the parts have no room for words.

    On pages and slides it is behind the last words that were not read from a picture.
    """
    if not text.parts:
        before = text.text.rstrip("\n") + _GAP
        first = before.count("\n") + 1
        lines = LineSpan(start=first, end=first + added.count("\n"))
        return lines, text.model_copy(update={"text": f"{before}{added}\n"})
    written = [at for at, part in enumerate(text.parts) if _is_page(part) and part.end > part.start]
    at = written[-1] if written else len(text.parts) - 1
    last = text.parts[at]
    place = last.source_span
    if isinstance(place, PageSpan | SlideSpan):
        same = text.find_page(place.page) if isinstance(place, PageSpan) else text.find_slide(place.slide)
        begin = last.end + (len(_GAP) if written else 0)
        part, start = last.model_copy(update={"end": begin + len(added)}), same[0].start
        moved = [_moved(each, part.end - last.end) for each in text.parts[at + 1 :]]
        whole = f"{text.text[: last.end]}{_GAP if written else ''}{added}{text.text[last.end :]}"
        grown = text.model_copy(update={"text": whole, "parts": (*text.parts[:at], part, *moved)})
        return place.model_copy(update={"char_start": begin - start, "char_end": part.end - start}), grown
    if isinstance(place, CellSpan) and place.cells:
        cells = parse_cells(place.cells)
        row = CellSpan(sheet=place.sheet, cells=str(cells._replace(top=cells.bottom)))
        before = text.text.rstrip("\n") + _GAP
        part = TextPart(start=len(before), end=len(before) + len(added) + 1, source_span=row)
        return row, text.model_copy(update={"text": f"{before}{added}\n", "parts": (*text.parts, part)})
    return None


def _is_page(part: TextPart) -> bool:
    return isinstance(part.source_span, PageSpan | SlideSpan)


def _moved(part: TextPart, by: int) -> TextPart:
    return part.model_copy(update={"start": part.start + by, "end": part.end + by})


def _is_behind(other: SourceSpan, place: SourceSpan) -> bool:
    """Return True if a block stands behind the properties: a caption, or what was read from a picture of the same or a later page."""
    if isinstance(other, RegionSpan) and isinstance(place, PageSpan):
        return other.page is not None and other.page >= place.page
    return isinstance(other, CaptionSpan)
