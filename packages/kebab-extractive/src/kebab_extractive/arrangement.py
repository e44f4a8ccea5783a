"""What the sentences of a passage are by where they stand: headings of plain text, commands, blocks of code."""

from __future__ import annotations

from collections.abc import Iterator

from kebab_extractive.printable import ends_as_sentence, is_command, is_title, leads_on
from kebab_extractive.sentences import Sentence, SentenceKind

MAX_BLOCK = 400
"""Code points up to which a block of code, or a list after its lead-in, is quoted whole."""


def arrange(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences of a passage in order, told by their places, the lines of a short block of code made one.

    Args:
        text: The passage.
        sentences: What it was cut into.
    """
    yield from _join_code(text, list(_told_by_place(text, sentences)))


def _told_by_place(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences; a paragraph of a few words is a heading of what follows it, or what a lead-in leads to.

    Chunks hold headings of plain text and single commands as lines like any other.
    """
    for position, sentence in enumerate(sentences):
        before = sentences[position - 1] if position else None
        after = sentences[position + 1] if position + 1 < len(sentences) else None
        written = text[sentence.start : sentence.end]
        is_line = (
            sentence.kind is SentenceKind.PROSE
            and (before is None or _is_parted(text, before, sentence))
            and (after is None or _is_parted(text, sentence, after))
            and not ends_as_sentence(written)
        )
        is_announced = before is not None and _announces(text[before.start : before.end])
        if is_line and (is_announced or is_command(written)):
            yield sentence._replace(kind=SentenceKind.CODE)
        elif is_line and after and is_title(written):
            yield sentence._replace(kind=SentenceKind.HEADING)
        else:
            yield sentence


def _announces(text: str) -> bool:
    return leads_on(text) or text.endswith(("?", "？"))


def _join_code(text: str, sentences: list[Sentence]) -> Iterator[Sentence]:
    """Yield the sentences with the lines of each short block of code made one."""
    block: list[Sentence] = []
    for sentence in sentences:
        if block and (sentence.kind is not SentenceKind.CODE or _is_parted(text, block[-1], sentence)):
            yield from _whole_or_lines(block)
            block = []
        if sentence.kind is SentenceKind.CODE:
            block.append(sentence)
        else:
            yield sentence
    yield from _whole_or_lines(block)


def _is_parted(text: str, before: Sentence, sentence: Sentence) -> bool:
    return text.count("\n", before.end, sentence.start) > 1


def _whole_or_lines(block: list[Sentence]) -> list[Sentence]:
    if not block or block[-1].end - block[0].start > MAX_BLOCK:
        return block
    return [Sentence(block[0].start, block[-1].end, SentenceKind.CODE)]
