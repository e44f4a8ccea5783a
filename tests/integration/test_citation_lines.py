from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import LineSpan
from kebab_testing.documents import make_policy
from kebab_testing.families import examples

from tests.integration.citation_lines import COUNTER, cut_file, cut_random_file, find_faults


@pytest.mark.thorough
@settings(max_examples=examples(150))
@given(st.integers(0, 2**32))
def test_words_of_passages_stand_in_their_cited_lines_and_no_word_of_a_file_is_in_none(seed: int) -> None:
    text, chunks = cut_random_file(Random(seed))  # noqa: S311 - documents, no secrets
    assert not list(find_faults(text, chunks))


def test_a_passage_that_ends_within_a_line_is_cited_with_that_line() -> None:
    sentences = (
        f"Point {i} of the long agreement says that the party of part {i} pays promptly." for i in range(60)
    )
    words, lines = " ".join(sentences).split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) >= 80:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    text = "\n".join(["# Terms", "", *lines])
    chunks = cut_file(text, is_markdown=True, policy=make_policy(label=COUNTER.label))
    assert len(chunks) > 1
    for chunk in chunks:
        (span,) = chunk.source_spans
        assert isinstance(span, LineSpan)
        cited = " ".join(text.split("\n")[span.start - 1 : span.end])
        own = chunk.text.removeprefix("Terms").split()
        assert " ".join(own) in " ".join(cited.split())


def test_a_repeated_table_header_is_marked_with_the_line_it_stands_in() -> None:
    rows = [f"| 품목{i} | {i * 100} |" for i in range(80)]
    text = "\n".join(["# 가격", "", "| 이름 | 값 |", "|---|---|", *rows])
    first, *others = cut_file(
        text, is_markdown=True, policy=make_policy(target_tokens=60, max_tokens=80, label=COUNTER.label)
    )
    assert first.lead is None
    assert others
    for chunk in others:
        assert chunk.lead is not None
        assert chunk.text[: chunk.lead.end] == "이름 | 값\n"
        assert chunk.lead.source_span == LineSpan(start=3, end=3)
        (span,) = chunk.source_spans
        assert isinstance(span, LineSpan)
        assert span.start > 4
