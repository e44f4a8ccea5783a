"""Questions about source code are answered with its lines, whose addresses open them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_app import AskRequest
from kebab_core import AnswerFinal, CodeCitation, RetrievalDone, SearchMode

if TYPE_CHECKING:
    from kebab_core import Answer, Claim

    from conftest import Base

pytestmark = pytest.mark.usefixtures("one_process")
SIZES = '''\
"""Sizes of files."""

UNITS = {"K": 1024}


def parse_size(text: str) -> int:
    """Read a size such as 10K."""
    number, unit = text[:-1], text[-1:]
    return int(number) * UNITS[unit]


def show_size(size: int) -> str:
    return f"{size} bytes"
'''
STEPS = "\n".join(f"    state = advance(state, {n}, label='step {n}')" for n in range(80))
LONG = f"def run_steps(state):\n{STEPS}\n    return finish(state)\n"


def ask(base: Base, question: str) -> tuple[Answer, tuple[Claim, ...]]:
    found, *_, last = base.app.ask_stream(AskRequest(question=question, mode=SearchMode.LEXICAL))
    assert isinstance(found, RetrievalDone)
    assert isinstance(last, AnswerFinal)
    return last.answer, last.answer.claims


def test_a_definition_is_quoted_whole_and_cited_as_code(base: Base) -> None:
    base.write("src/sizes.py", SIZES)
    base.ingest()
    for question in ("What does parse_size return?", "parse_size는 어디서 정해지나요?"):
        answer, (claim,) = ask(base, question)
        assert answer.grounded
        assert claim.text.startswith("def parse_size(text: str) -> int:")
        assert claim.text.endswith("return int(number) * UNITS[unit]")
        (source,) = claim.sources
        assert isinstance(source.citation, CodeCitation)
        assert (source.citation.line_start, source.citation.line_end) == (6, 9)
        assert source.citation.symbol == "sizes.parse_size"


def test_of_a_long_function_the_part_that_returns_is_quoted_below_its_signature(base: Base) -> None:
    base.write("steps.py", LONG)
    base.ingest()
    answer, claims = ask(base, "What does run_steps return?")
    assert answer.grounded
    head, tail = ([source.citation.to_address() for source in claim.sources] for claim in claims)
    assert [address.partition("-")[0] for address in head] == ["steps.py#L1"]
    first, last = tail  # the signature that the passage repeats, and its own lines
    assert (first, last.rpartition("-")[2]) == ("steps.py#L1", "L82")
    assert claims[1].text.endswith("return finish(state)")


def test_a_name_that_is_not_there_is_refused(base: Base) -> None:
    base.write("src/sizes.py", SIZES)
    base.ingest()
    answer, _ = ask(base, "what does parse_weight return?")
    assert not answer.grounded


def test_a_name_among_words_that_no_passage_holds_is_answered(base: Base) -> None:
    others = "".join(f"def visit_{n}(node):\n    return parse_size(node[{n}])\n\n\n" for n in range(300))
    base.write("src/nodes.py", others)
    base.write("src/sizes.py", SIZES)
    base.ingest()
    answer, (claim,) = ask(base, "`parse_size`는 도대체 어디서 정해지나요?")
    assert answer.grounded
    assert claim.text.startswith("def parse_size(text: str) -> int:")
