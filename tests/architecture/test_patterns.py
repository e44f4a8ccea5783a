"""No regular expression of the product can be kept busy by a text that somebody else wrote."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field

import pytest
from kebab_testing.families import is_thorough

from tests.architecture.pumped_patterns import BOUNDED, BUILT, DONE, PART, ROOT, WHOLE

KNOWN = {
    "kebab_analysis.ideographs.reading_terms": "of a table of characters",
    "kebab_text.language_detection._count": "one class of characters",
    "kebab_analysis.analyzer._surface_word": "of a constant",
    "kebab_chunk.code_units._find_lead": "escaped words, with possessive white space between them",
    "kebab_embed_local.unigram._clusters": "of tables of characters",
    "kebab_embed_local.unigram._encode": "an alternative of constants",
    "kebab_embed_local.unigram._words": "of constants",
    "kebab_extractive.passage._picture_name": "of constants",
    "kebab_extractive.passage.holds_number": "an escaped number",
    "kebab_extractive.question.unit": "an escaped word, and every repetition has an end",
    "kebab_extractive.source_code._gives": "an escaped name, and every repetition has an end or is possessive",
    "kebab_extractive.source_code._lines_of": "an escaped name",
    "kebab_parse_md.markdown_rules.dispatch_rules": "one class of characters",
    "kebab_parse_md.frontmatter_syntax._with_core_scalars": "constants",
    "kebab_parse.decoding._many_marks": "a class of characters, so many times",
    "kebab_parse.properties._holds": "words, at most twelve, with possessive gaps between them",
    "kebab_rag.verdict._is_copied": "an escaped sentence",
    "kebab_search.surface_lookup._begun": "an escaped word",
    "kebab_search.surface_lookup._whole": "an escaped word",
    "kebab_source_fs.ignore.__init__": "every star and depth but the last is possessive; its tests have many of both",
    "kebab_source_fs.ignore._any_of": "the same",
    "kebab_store_sqlite.path_glob._bracket": "one class of characters",
}
"""Functions that build a pattern when they run, and why none that they build takes long."""


@dataclass
class Tried:
    """Names of patterns in their order, and of those that took too long; functions that build patterns when they run."""

    names: list[str] = field(default_factory=list)
    endless: list[str] = field(default_factory=list)
    builders: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def tried() -> Tried:
    found, start, share = Tried(), 0, WHOLE if is_thorough() else PART
    while True:
        command = [sys.executable, "-m", "tests.architecture.pumped_patterns", str(start), share]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        assert lines, done.stderr
        for number, _, name in (line.partition(" ") for line in lines if line != DONE):
            if number == BUILT:
                found.builders.add(name)
            else:
                found.names.append(name)
        if lines[-1] == DONE:
            return found
        assert found.names, done.stderr
        found.endless.append(found.names[-1])
        start = int(lines[-1].partition(" ")[0]) + 1


@pytest.mark.thorough
def test_no_pattern_takes_long_over_what_it_repeats(tried: Tried) -> None:
    assert len(tried.names) > 500
    assert not tried.endless


def test_every_function_that_builds_a_pattern_is_known_for_taking_no_long_time(tried: Tried) -> None:
    assert tried.builders == set(KNOWN)


def test_what_is_said_of_patterns_is_said_of_some_that_there_are(tried: Tried) -> None:
    assert set(BOUNDED) <= {name.rpartition(":")[0] for name in tried.names}
