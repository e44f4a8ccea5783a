"""Questions about source code are answered with the code itself."""

from kebab_core import CodeCitation, Passage, WorkspacePath
from kebab_extractive import ExtractiveReader
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.passages import build_passage, is_answer, read_aloud
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.tables import walk
from kebab_testing.temporary_stores import TemporaryStores

PARSE = '''\
@cached
def parse_size(text: str) -> int:
    """Read a size such as 10M."""
    number, unit = split(text)
    return number * UNITS[unit]'''
LIMIT = "import sys\n\n# Most bytes of a file.\nMAX_BYTES: int = parse('10M')\n\nOTHER = 2"


def code(
    text: str,
    symbol: str | None,
    *,
    marker: int = 1,
    path: str = "sizes.py",
    start: int = 1,
) -> Passage:
    lines = text.count("\n")
    citation = CodeCitation(
        path=WorkspacePath(path), line_start=start, line_end=start + lines, symbol=symbol, lang="python"
    )
    heading = tuple((symbol or "").split("."))
    return build_passage(text, marker=marker, title=path, heading_path=heading, citation=citation)


def answer(question: str, *evidence: str | Passage) -> str:
    stores = TemporaryStores()
    store = stores.documents
    store.replace_document(build_record(RecordSpec(paragraphs=("the index keeps terms", "a size is read"))))
    model = ExtractiveReader(analyzer=WordAnalyzer(), index=stores.index)
    return read_aloud(model, question, *evidence)


@walk(
    "question",
    [
        "where is parse_size defined?",
        "What does sizes.parse_size() return?",
        "what does `parse_size` do",
        "parse_size는 어디서 정해지나요?",
        "parse_size가 하는 일은?",
        "parse_size는 무엇을 반환하나요?",
    ],
)
def test_a_named_definition_is_quoted_whole(question: str) -> None:
    caller = code("def load():\n    return parse_size(MAX)", "sizes.load", marker=1)
    assert answer(question, caller, code(PARSE, "sizes.parse_size", marker=2)) == f"{PARSE} [#2]"


@walk("symbol", ["gin.(*Context).ParseSize", "a::Context::ParseSize", "x.Context.ParseSize"])
@walk("name", ["Context.ParseSize", "Context::ParseSize", "ParseSize"])
def test_names_are_those_of_any_language(symbol: str, name: str) -> None:
    text = "func ParseSize() {\n}"
    other = code("func ParseSize() {\n  no\n}", "b.Other.Parse", marker=1)
    assert answer(f"where is {name} defined?", other, code(text, symbol, marker=2)) == f"{text} [#2]"


def test_a_long_definition_is_quoted_from_its_signature_on_as_far_as_there_is_room() -> None:
    comment = "# about sizes\n" * 90
    body = "".join(f"    step({n})\n" for n in range(100))
    text = f"{comment}def parse_size(text):\n{body}"
    quoted = answer("what does parse_size do?", code(text, "sizes.parse_size"))
    assert quoted.startswith("def parse_size(text):\n    step(0)\n")
    assert quoted.removesuffix(" [#1]") in text
    assert 1000 < len(quoted) < 1300


def test_of_a_definition_in_parts_the_signature_and_what_it_returns_are_quoted() -> None:
    head = code("def parse_size(text):\n    one()", "sizes.parse_size", marker=3)
    middle = code("    two()", "sizes.parse_size", marker=1, start=3)
    tail = code("    return three()", "sizes.parse_size", marker=2, start=4)
    evidence = (middle, tail, head)
    assert answer("what does parse_size do?", *evidence) == "def parse_size(text):\n    one() [#3]"
    returned = answer("what does parse_size return?", *evidence)
    assert returned == "def parse_size(text):\n    one() [#3]\nreturn three() [#2]"


def test_the_same_definition_of_another_checkout_is_quoted_once() -> None:
    here, there = (
        code(PARSE, "sizes.parse_size"),
        code(PARSE, "sizes.parse_size", marker=2, path="b/sizes.py"),
    )
    assert answer("what does parse_size do?", here, there) == f"{PARSE} [#1]"
    other = code("def parse_size(n): ...", "sizes.parse_size", marker=2, path="b/sizes.py")
    assert answer("what does parse_size do?", here, other) == f"{PARSE} [#1]\n{other.text} [#2]"


def test_a_question_for_uses_is_answered_with_callers_and_not_with_imports() -> None:
    imports = code("from sizes import (\n    parse_size,\n)", "<top-level>", marker=2, path="a.py")
    caller = code("def load():\n    return parse_size(MAX)", "a.load", marker=3, path="a.py")
    evidence = (code(PARSE, "sizes.parse_size", marker=1), imports, caller)
    for question in ("how is parse_size used?", "parse_size는 어떻게 쓰나요?"):
        assert answer(question, *evidence) == f"{caller.text} [#3]"


def test_a_constant_is_quoted_with_its_comment() -> None:
    expected = "# Most bytes of a file.\nMAX_BYTES: int = parse('10M') [#1]"
    assert answer("where is MAX_BYTES decided?", code(LIMIT, "<top-level>")) == expected


@walk("line", ["#define MAX_BYTES (1024*1024)", "#  define MAX_BYTES 10", "#define MAX_BYTES(n) n"])
def test_a_macro_is_quoted_where_it_is_defined(line: str) -> None:
    guard = code(f"/* Sizes. */\n#include <a.h>\n\n{line}\n\nint a;", "<top-level>", marker=1)
    use = code("int grow(int n) {\n    return n < MAX_BYTES;\n}", "grow", marker=2, path="b.c")
    assert answer("Where is MAX_BYTES decided?", use, guard) == f"{line} [#1]"


def test_uses_of_what_is_not_called_are_definitions_that_hold_its_name() -> None:
    given = code("class Limits:\n    MAX_BYTES = 10", "sizes.Limits", marker=1, path="c.py")
    use = code("def fits(text):\n    return len(text) < MAX_BYTES", "b.fits", marker=2, path="b.py")
    for question in ("How is MAX_BYTES used?", "MAX_BYTES는 어떻게 쓰나요?"):
        assert answer(question, code(LIMIT, "<top-level>", marker=3), given, use) == f"{use.text} [#2]"


def test_a_name_that_no_passage_holds_is_refused() -> None:
    assert not is_answer(answer("where is parse_weight defined?", code(PARSE, "sizes.parse_size")))


@walk("question", ["where is parse_size explained?", "what does parse_size return?"])
def test_prose_that_ranks_first_answers_as_it_did(question: str) -> None:
    prose = build_passage("The function parse_size is explained here: it does return bytes.", marker=1)
    quoted = answer(question, prose, code(PARSE, "sizes.parse_size", marker=2))
    assert f"{prose.text} [#1]" in quoted
