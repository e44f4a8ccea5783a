import re

from kebab_core import CodeCitation, Passage, WorkspacePath
from kebab_extractive import ExtractiveReader
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.document_store import InMemoryDocumentStore
from kebab_testing.fakes.lexical_index import InMemoryLexicalIndex
from kebab_testing.passages import NOTHING, build_passage, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk

_INDEXED = ("the index keeps terms", "the parser reads a page", "the chunk is small", "the of a is to and in")


def make_reader(*texts: str) -> ExtractiveReader:
    store = InMemoryDocumentStore()
    store.replace_document(build_record(RecordSpec(paragraphs=texts or _INDEXED)))
    return ExtractiveReader(analyzer=WordAnalyzer(), index=InMemoryLexicalIndex(store))


def answer(question: str, *evidence: str | Passage) -> str:
    return read_aloud(make_reader(), question, *evidence)


def test_sentence_that_holds_the_words_of_the_question_is_quoted_with_its_marker() -> None:
    text = "Rain fell all day. The index keeps terms of chunks. Nobody was there."
    assert (
        answer("what does the index keeps terms of", "Snow.", text) == "The index keeps terms of chunks. [#2]"
    )


def test_markers_are_those_of_the_passages() -> None:
    passage = build_passage("The index keeps terms of chunks.", marker=17)
    assert answer("index keeps terms", passage) == "The index keeps terms of chunks. [#17]"


def test_neighbours_are_one_quote_and_others_are_lines_of_their_own() -> None:
    first = "The index keeps terms. The index keeps words. Rain fell.\nSnow lay about everywhere in town."
    second = "An index keeps terms, too."
    assert answer("index keeps", first, second) == (
        "The index keeps terms. The index keeps words. [#1]\nAn index keeps terms, too. [#2]"
    )


def test_answers_have_three_sentences_at_most_and_stand_in_the_order_of_the_evidence() -> None:
    passages = [f"Text. The index keeps terms of kind {n}. More text." for n in range(6)]
    quoted = re.findall(r"\[#(\d+)\]", answer("index keeps terms", *passages))
    assert len(quoted) == 3
    assert quoted == sorted(quoted)


def test_sentence_that_several_passages_hold_is_quoted_once() -> None:
    text = "The index keeps terms."
    assert answer("index keeps terms", text, f"Rain. {text}") == "The index keeps terms. [#1]"


def test_sentence_need_not_repeat_what_its_heading_says() -> None:
    elsewhere = build_passage("The parser is fast.", marker=1, title="Parser")
    section = build_passage(
        "Rain fell.\n\nRun make first.", marker=2, title="Index", heading_path=("parser",)
    )
    assert answer("parser run make", elsewhere, section) == "Run make first. [#2]"


@walk(
    ("question", "expected"),
    [
        ("when was the parser made", "The parser was made in 1998 by them."),
        ("why was the parser made", "The parser was made because pages differ."),
        ("how many kinds is the parser made for", "The parser was made for seven kinds."),
        ("언제 the parser was made", "The parser was made in 1998 by them."),
        ("왜 the parser was made", "The parser was made because pages differ."),
    ],
)
def test_sentence_with_the_kind_of_thing_that_is_asked_for_is_preferred(question: str, expected: str) -> None:
    text = (
        "The parser was made here. Rain. The parser was made in 1998 by them. Rain again. "
        "The parser was made because pages differ. More rain. The parser was made for seven kinds."
    )
    assert expected in answer(question, text)


def test_question_is_never_repeated_as_its_answer() -> None:
    text = "What does the index hold?\n\nThe index\n\nIts parts hold the terms of the index."
    assert answer("What does the index hold?", text) == "Its parts hold the terms of the index. [#1]"


def test_greeting_below_a_fitting_title_is_no_answer() -> None:
    passage = build_passage("Hello again. The parser reads pages for it.", title="Index keeps terms")
    assert "Hello" not in answer("index keeps terms parser", passage)


def test_code_is_quoted_for_who_asks_for_it() -> None:
    text = "index = keeps(terms)\n\nThe index keeps many things."
    assert answer("index keeps terms", text).startswith("The index keeps many things.")
    assert answer("code of index", text).startswith("index = keeps(terms)")


def test_headings_are_no_answers() -> None:
    passage = build_passage("Index keeps terms\n\nRain fell on the index.", title="Index keeps terms")
    assert answer("index keeps terms", passage) == "Rain fell on the index. [#1]"


def test_line_that_leads_to_a_list_brings_it_along() -> None:
    text = "Rain fell.\n\nThe index keeps terms of:\n- titles\n- headings\n\nSnow lay."
    assert answer("index keeps terms", text) == "The index keeps terms of:\n- titles\n- headings [#1]"


_MANY_ROWS = [f"row {n} | nothing is said here" for n in range(30)]


def test_item_of_a_short_list_brings_the_list_and_the_line_that_leads_to_it() -> None:
    text = "The parser reads:\n- a page of Markdown\n- the index that keeps terms"
    assert answer("index keeps terms", f"{text}\n\nSnow lay.") == f"{text} [#1]"


def test_item_of_a_long_list_brings_the_line_that_leads_to_it() -> None:
    items = "\n".join(f"- page {n} of Markdown, read line by line" for n in range(30))
    text = f"The parser reads:\n{items}\n- the index that keeps terms"
    assert answer("index keeps terms", text) == "The parser reads: [#1]\nthe index that keeps terms [#1]"


@walk(
    "rows",
    [
        ["index | keeps terms", "port | 8080 is usual", "host | here"],
        ["port | 8080 is usual", "index | keeps terms", "host | here"],
        ["port | 8080 is usual", "host | here", "index | keeps terms"],
    ],
)
def test_short_table_is_quoted_whole_and_of_a_long_one_the_row_and_its_heads(rows: list[str]) -> None:
    text = "\n".join(["key | meaning", *rows])
    assert answer("index keeps what", text) == f"{text} [#1]"
    text = "\n".join(["key | meaning", *rows, *_MANY_ROWS])
    assert answer("index keeps what", text) == "key | meaning\nindex | keeps terms [#1]"


def test_rows_of_one_table_share_one_marker_whatever_stands_between_them() -> None:
    rows = ["index | keeps terms now", *_MANY_ROWS, "index | keeps terms well"]
    assert answer("index keeps terms", "\n".join(["key | meaning", *rows])) == (
        "key | meaning\nindex | keeps terms now\nindex | keeps terms well [#1]"
    )


def test_short_block_of_code_is_quoted_whole() -> None:
    text = "Rain fell on it.\n\ndef index():\n    keeps = terms\n    return keeps\n\nSnow lay."
    assert answer("def index() keeps terms", text) == "def index():\n    keeps = terms\n    return keeps [#1]"


def test_long_block_of_code_is_quoted_by_line() -> None:
    lines = [f"value_{n} = read({n})" for n in range(60)]
    citation = CodeCitation(path=WorkspacePath("a.py"), line_start=1, line_end=60)
    passage = build_passage("\n".join(lines), citation=citation)
    assert "value_31 = read(31) [#1]" in answer("value_31", passage)


@walk(
    ("question", "lang"),
    [("who built the harbour", "en"), ("항구는 누가 지었나요", "ko"), ("harbour 지은 사람", "ko")],
)
def test_evidence_without_the_answer_is_said_in_the_language_of_the_question(
    question: str, lang: str
) -> None:
    assert answer(question, "The index keeps terms.", "색인은 매일 만든다.") == NOTHING


@walk("evidence", [(), ("",), ("\n \n",), ("???",)])
def test_evidence_that_says_nothing_does_not_answer(evidence: tuple[str, ...]) -> None:
    assert answer("index keeps terms", *evidence) == NOTHING


def test_quotes_take_4_kib_at_most_and_none_is_cut() -> None:
    items = "\n".join(["- 많은 것을 빠짐없이 적어 둔다"] * 50)
    lists = [f"The index keeps terms of kind {n}:\n{items}" for n in range(3)]
    assert answer("index keeps terms", *lists) == f"{lists[0]} [#1]"


@walk(
    "line",
    ["{* ../index/keeps_terms.py hl[2] *}", "- [index keeps terms](a.md)", "![index keeps terms](a.png)"],
)
def test_directives_and_bare_links_are_never_answers(line: str) -> None:
    assert answer("index keeps terms", f"{line}\n\nThe index keeps many.") == "The index keeps many. [#1]"


def test_link_is_quoted_for_who_asks_for_it() -> None:
    assert answer("website index keeps", "[the index keeps it](https://example.org)") != NOTHING


def test_entry_of_a_list_of_contents_is_no_answer() -> None:
    text = "Concepts:\n- Parser pages\n- Chunk words\n\nAn index keeps the terms."
    assert answer("how does the index keeps terms", text) == "An index keeps the terms. [#1]"
