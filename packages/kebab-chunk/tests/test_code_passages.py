from __future__ import annotations

from kebab_chunk import build_chunker
from kebab_core import Chunk, CodeSpan, CodeSymbol, LongDocument, SymbolKind
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import WordCounter


def cut(chunker: str, builder: DocumentBuilder, *, largest: int = 30) -> list[Chunk]:
    policy = make_policy(target_tokens=16, max_tokens=largest, overlap_tokens=0)
    return list(build_chunker(chunker, WordCounter()).chunk(LongDocument.of(builder.build()), policy))


def spans(chunks: list[Chunk]) -> list[tuple[int, int]]:
    return [
        (span.line_start, span.line_end)
        for chunk in chunks
        for span in chunk.source_spans
        if isinstance(span, CodeSpan)
    ]


def unit(code: str, signature: str, statements: tuple[tuple[int, ...], ...] | None = None) -> DocumentBuilder:
    symbol = CodeSymbol(symbol="f", kind=SymbolKind.FUNCTION, line_start=1, line_end=1, signature=signature)
    return DocumentBuilder().code_unit(code, symbol="f", defines=symbol, statements=statements)


PARAGRAPHS = "code-text-paragraph-v1"
UNITS = "code-python-ast-v2"


def test_paragraphs_of_a_script_are_passages_without_the_blank_lines_between_them():
    chunks = cut(PARAGRAPHS, DocumentBuilder().code_unit("a\nb\n\n \t\nc\n\nd"))
    assert [chunk.text for chunk in chunks] == ["a\nb", "c", "d"]
    assert spans(chunks) == [(1, 2), (5, 5), (7, 7)]


def test_a_paragraph_of_more_than_eighty_lines_becomes_windows_that_share_twenty():
    for count, windows in (
        (80, [(1, 80)]),
        (81, [(1, 80), (61, 81)]),
        (200, [(1, 80), (61, 140), (121, 200)]),
        (201, [(1, 80), (61, 140), (121, 200), (181, 201)]),
    ):
        code = "\n".join(f"line{number}" for number in range(1, count + 1))
        chunks = cut(PARAGRAPHS, DocumentBuilder().code_unit(code), largest=100)
        assert spans(chunks) == windows
        assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
        assert all(chunk.lead is None for chunk in chunks)


def test_a_window_begins_no_earlier_than_what_was_cut_off_the_one_before():
    code = "\n".join(f"  line{number} and more words" for number in range(1, 100))
    chunks = cut(PARAGRAPHS, DocumentBuilder().code_unit(code), largest=60)
    starts = [start for start, _ in spans(chunks)]
    assert starts == sorted(starts)
    assert {line for start, end in spans(chunks) for line in range(start, end + 1)} == set(range(1, 100))


def test_text_of_blank_lines_gives_no_passage():
    assert cut(PARAGRAPHS, DocumentBuilder().code_unit(" \n\t\n\n")) == []


def test_passages_of_text_keep_the_language_and_have_no_symbol():
    (chunk,) = cut(PARAGRAPHS, DocumentBuilder().code_unit("a"))
    assert chunk.source_spans == (CodeSpan(line_start=1, line_end=1, symbol=None, lang="python"),)


def test_a_unit_that_fits_is_never_cut():
    code = "def f():\n\n    a\n\n\n    b"
    (chunk,) = cut(UNITS, unit(code, "def f():"))
    assert chunk.text == code
    assert [symbol.symbol for symbol in chunk.symbols] == ["f"]


def test_a_long_unit_is_cut_between_its_statements_with_the_signature_before_each_part():
    body = "\n".join(f"    if a{number}:\n        b = {number}\n        c = {number}" for number in range(8))
    first, *others = cut(UNITS, unit(f"# remark\n@cached\ndef f(\n    x,\n):\n{body}", "def f( x, ):"))
    assert first.text.startswith("# remark")
    assert first.lead is None
    assert others
    for chunk in others:
        assert chunk.lead is not None
        assert chunk.text[: chunk.lead.end] == "def f(\n    x,\n):\n"
        assert chunk.lead.source_span == CodeSpan(line_start=3, line_end=5, symbol="f", lang="python")
        assert chunk.text[chunk.lead.end :].startswith("    if a")
    assert [symbol.symbol for chunk in others for symbol in chunk.symbols] == []


def test_a_long_unit_is_cut_at_a_blank_line_rather_than_elsewhere():
    statements = [f"    s{number} t" for number in range(20)]
    statements.insert(12, "")
    _, second, *_ = cut(UNITS, unit("\n".join(["def f():", *statements]), "def f():"))
    assert second.text.split("\n")[1] == "    s12 t"


def test_a_long_unit_is_cut_before_its_outermost_statements_whatever_their_indent():
    code = "\n".join(["int f() {", *(f"        a{n}(\nb, c, d);" for n in range(20)), "}"])
    outer, inner = tuple(range(2, 42, 4)), tuple(range(4, 42, 4))
    chunks = cut(UNITS, unit(code, "int f()", (outer, inner)))
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert chunk.lead is not None
        number = int(chunk.text[chunk.lead.end :].split("(")[0].strip().removeprefix("a"))
        assert number % 2 == 0


def test_where_no_statement_begins_a_long_unit_is_cut_at_a_blank_line():
    words = [f"w{number} t" for number in range(20)]
    words.insert(12, "")
    _, second, *_ = cut(UNITS, unit("\n".join(["def f():", *words]), "def f():", ((2,),)))
    assert second.text.split("\n")[1] == "w12 t"


def test_a_part_does_not_begin_with_what_continues_a_statement():
    pairs = "\n".join(f"    if (a{number}) {{ b c\n    }} else {{ d e\n    }}" for number in range(8))
    chunks = cut("code-js-ast-v2", unit(f"function f() {{\n{pairs}\n}}", "function f()"))
    assert len(chunks) > 1
    for chunk in chunks[1:]:
        assert chunk.lead is not None
        assert chunk.text[chunk.lead.end :].startswith("    if")


def test_a_signature_that_would_fill_a_passage_is_repeated_by_its_first_lines():
    parameters = [f"    p{number}," for number in range(40)]
    head = "\n".join(["def f(", *parameters, "):"])
    code = "\n".join([head, *(f"    s{number}" for number in range(40))])
    chunks = cut(UNITS, unit(code, " ".join(head.split())))
    leads = [chunk.text[: chunk.lead.end] for chunk in chunks if chunk.lead]
    assert leads
    assert set(leads) == {"\n".join(["def f(", *parameters[:13], ""])}


def test_lines_that_no_grammar_reads_are_cut_as_text():
    builder = (
        DocumentBuilder().code_unit("a (\n\nb (").code_unit("import x\n\nimport y", symbol="<top-level>")
    )
    assert [chunk.text for chunk in cut(UNITS, builder)] == ["a (", "b (", "import x\n\nimport y"]


def test_a_manifest_that_fits_is_one_passage():
    (chunk,) = cut("manifest-file-v1", DocumentBuilder().code_unit('{\n\n"a": 1\n}'))
    assert chunk.source_spans == (CodeSpan(line_start=1, line_end=4, symbol="<manifest>", lang="python"),)


def test_a_long_manifest_is_cut_between_its_outer_keys():
    keys = ",\n".join(f'  "k{number}": {{\n    "a": 1,\n    "b": 2\n  }}' for number in range(8))
    chunks = cut("manifest-file-v1", DocumentBuilder().code_unit(f"{{\n{keys}\n}}"))
    assert len(chunks) > 1
    assert all(chunk.text.startswith('  "k') for chunk in chunks[1:])
    sections = "\n\n".join(f"[s{number}]\na = 1\nb = 2" for number in range(8))
    chunks = cut("manifest-file-v1", DocumentBuilder().code_unit(sections))
    assert len(chunks) > 1
    assert all(chunk.text.startswith("[s") for chunk in chunks)


DOCKERFILE = """\
# syntax=docker/dockerfile:1
ARG VERSION=1.22

FROM golang:${VERSION} AS build
RUN psql -c "SELECT * \\
  FROM users"
RUN <<END
FROM nothing
END

# what runs
from --platform=linux/amd64 alpine:3
COPY --from=build /a /a
"""


def test_a_container_file_is_cut_by_stage():
    first, second = cut("dockerfile-file-v2", DocumentBuilder().code_unit(DOCKERFILE), largest=60)
    assert spans([first, second]) == [(1, 9), (11, 13)]
    (symbol,) = first.symbols
    assert (symbol.symbol, symbol.kind) == ("build", SymbolKind.RESOURCE)
    assert symbol.signature == "FROM golang:${VERSION} AS build"
    assert first.heading_path == ("build",)
    assert [getattr(chunk.source_spans[0], "symbol", "") for chunk in (first, second)] == [
        "build",
        "alpine:3",
    ]
    assert (second.symbols, second.heading_path) == ((), ("alpine:3",))


def test_parts_of_a_long_stage_repeat_its_from():
    code = "FROM a AS b\n" + "\n".join(f"RUN c{number} d e" for number in range(20))
    first, *others = cut("dockerfile-file-v2", DocumentBuilder().code_unit(code))
    assert first.lead is None
    assert others
    assert all(chunk.text.startswith("FROM a AS b\nRUN") for chunk in others)
