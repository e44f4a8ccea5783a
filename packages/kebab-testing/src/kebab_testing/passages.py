"""Small builders of evidence and of what a language model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from kebab_core import (
    AnswerReader,
    ChatMessage,
    ChunkId,
    Citation,
    Evidence,
    GenerateRequest,
    LineCitation,
    Passage,
    WorkspacePath,
    hash_canonical,
)


def build_passage(
    text: str,
    *,
    marker: int = 1,
    title: str = "",
    heading_path: Sequence[str] = (),
    citation: Citation | None = None,
    lang: str = "en",
    stated_on: date | None = None,
) -> Passage:
    """Return one passage of a made-up document; its chunk id differs from that of other texts and markers."""
    return Passage(
        marker=marker,
        chunk_id=ChunkId(hash_canonical([text, str(marker)])[:32]),
        citation=citation or LineCitation(path=WorkspacePath(f"notes/{marker}.md"), start=1, end=1),
        title=title,
        heading_path=tuple(heading_path),
        lang=lang,
        stated_on=stated_on,
        text=text,
    )


def build_passages(evidence: Sequence[str | Passage]) -> tuple[Passage, ...]:
    """Return texts as passages marked from 1; passages stay as they are."""
    return tuple(
        build_passage(each, marker=marker) if isinstance(each, str) else each
        for marker, each in enumerate(evidence, start=1)
    )


def build_request(question: str, *evidence: str | Passage, max_tokens: int = 1000) -> GenerateRequest:
    """Return a request with the evidence marked from 1; the rendered messages are not what these tests read."""
    passages = build_passages(evidence)
    return GenerateRequest(
        messages=(
            ChatMessage(role="system", text="Answer from the evidence."),
            ChatMessage(role="user", text=question),
        ),
        question=question,
        evidence=passages,
        max_tokens=max_tokens,
        seed=0,
    )


NOTHING = ""
"""What `read_aloud` gives where a reader found nothing."""
NEAREST = "nearest:"
"""Its first line where nothing answers, above the quotes that come nearest."""


def read_aloud(reader: AnswerReader, question: str, *evidence: str | Passage) -> str:
    """Return what a reader chose as lines of text: each quote with its marker `[#n]` behind it."""
    passages = build_passages(evidence)
    texts = {passage.marker: passage.text for passage in passages}
    reading = reader.read(question, passages)
    quotes = [
        "\n".join(texts[quote.marker][start:end] for start, end in quote.ranges) + f" [#{quote.marker}]"
        for quote in reading.quotes
    ]
    return "\n".join(([] if reading.answers or not quotes else [NEAREST]) + quotes)


def found_well(passage: Passage) -> Passage:
    """Return a passage with the signals of a good hit by words."""
    evidence = Evidence(coverage=1, bm25_ratio=0.6, density=0.6, sentence_coverage=1, proximity=1)
    return passage.model_copy(update={"score": 0.97, "evidence": evidence})


def first_quote(reader: AnswerReader, question: str, *evidence: str | Passage) -> str:
    """Return the quote that a reader puts first, whether it answers or comes near, its parts as lines; empty without one.

    The passages are as `found_well` gives them.
    """
    passages = [found_well(each) for each in build_passages(evidence)]
    texts = {passage.marker: passage.text for passage in passages}
    for quote in reader.read(question, passages).quotes:
        return "\n".join(texts[quote.marker][start:end] for start, end in quote.ranges)
    return NOTHING


def is_answer(text: str) -> bool:
    """Return False if `read_aloud` gave nothing, or quotes that only come near."""
    return text != NOTHING and text.partition("\n")[0] != NEAREST
