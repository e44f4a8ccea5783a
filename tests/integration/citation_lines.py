"""Whether the words of passages stand in the lines that are cited for them, and every word of a file in a passage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from kebab_chunk import HeadingChunker
from kebab_core import (
    Chunk,
    ChunkPolicy,
    Extractor,
    LineSpan,
    LongDocument,
    MarkdownMedia,
    SourceSpan,
    TextMedia,
    TokenCounter,
)
from kebab_parse_md import MarkdownExtractor, TextExtractor
from kebab_testing.documents import make_context, make_policy

from tests.integration.random_documents import VISIBLE, make_markdown, make_text, word_lines

COUNTER = TokenCounter()
_MARKDOWN: Extractor = MarkdownExtractor()
_TEXT: Extractor = TextExtractor()


def cut_random_file(random: Random) -> tuple[str, list[Chunk]]:
    """Return a random file and its chunks under a random policy."""
    is_markdown = random.random() < 0.8
    text = make_markdown(random) if is_markdown else make_text(random)
    return text, cut_file(text, is_markdown=is_markdown, policy=_random_policy(random))


def cut_file(text: str, *, is_markdown: bool, policy: ChunkPolicy) -> list[Chunk]:
    """Return the chunks of a file."""
    content = text.encode()
    media = MarkdownMedia() if is_markdown else TextMedia()
    context = make_context(content, path=f"file.{'md' if is_markdown else 'txt'}", media_type=media)
    document = (_MARKDOWN if is_markdown else _TEXT).extract(context, content)
    return list(HeadingChunker(COUNTER).chunk(LongDocument.of(document), policy))


def find_faults(text: str, chunks: Sequence[Chunk]) -> Iterator[str]:
    """Yield the visible words of a file of `random_documents` that are in no chunk, or not in its cited lines."""
    lines = word_lines(text)
    own_texts = []
    for chunk in chunks:
        end = chunk.lead.end if chunk.lead else 0
        own_texts.append(chunk.text[end:])
        yield from _outside(VISIBLE.findall(chunk.text[end:]), lines, chunk.source_spans, chunk)
        if chunk.lead:
            yield from _outside(VISIBLE.findall(chunk.text[:end]), lines, (chunk.lead.source_span,), chunk)
    # Joined, since the smallest sizes divide words.
    joined = ("".join(own_texts), "\n".join(own_texts), _join_overlapping(own_texts))
    found = {word for text in joined for word in VISIBLE.findall(text)}
    yield from (f"{word} of line {line} is in no chunk" for word, line in lines.items() if word not in found)


def _join_overlapping(texts: Sequence[str]) -> str:
    """Join texts of which the beginning of one repeats the end of the one before."""
    joined = ""
    for text in texts:
        common = next(size for size in range(len(text), -1, -1) if joined.endswith(text[:size]))
        joined += text[common:]
    return joined


def _outside(
    words: Sequence[str], lines: dict[str, int], spans: Sequence[SourceSpan], chunk: Chunk
) -> Iterator[str]:
    cited = [span for span in spans if isinstance(span, LineSpan)]
    for word in words:
        if not any(span.start <= lines[word] <= span.end for span in cited):
            places = ", ".join(f"{span.start}-{span.end}" for span in cited)
            yield f"{word} of line {lines[word]} is cited at {places}: {chunk.text[-60:]!r}"


def _random_policy(random: Random) -> ChunkPolicy:
    if random.random() < 0.3:
        return make_policy(label=COUNTER.label)
    target = random.choice((16, 24, 60, 200))
    return make_policy(
        target_tokens=target,
        max_tokens=target + random.choice((0, 8, 60)),
        overlap_tokens=random.choice((0, 6, target // 4, target)),
        label=COUNTER.label,
    )
