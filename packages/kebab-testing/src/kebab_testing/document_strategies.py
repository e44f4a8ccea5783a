"""Hypothesis strategies of documents and chunk policies."""

from __future__ import annotations

from hypothesis import strategies as st
from kebab_core import CanonicalDocument, ChunkPolicy, CodeSymbol, PageSpan, SymbolKind

from kebab_testing.documents import DocumentBuilder, make_policy

WORDS = st.sampled_from((
    "한국어",
    "문서를",
    "찾습니다.",
    "나눕니다.",
    "word",
    "sentence.",
    "Really?",
    "값",
    "I/O",
    "그림。",
    "a",
))


def phrases(max_words: int = 30) -> st.SearchStrategy[str]:
    """Return texts of Korean and English words, on one or more lines, never blank."""
    joints = st.sampled_from((" ", " ", " ", "\n", "  "))
    return st.lists(st.tuples(WORDS, joints), min_size=1, max_size=max_words).map(
        lambda pairs: "".join(word + joint for word, joint in pairs).strip()
    )


def lines(max_words: int = 8) -> st.SearchStrategy[str]:
    """Return texts on one line."""
    return st.lists(WORDS, min_size=1, max_size=max_words).map(" ".join)


@st.composite
def documents(draw: st.DrawFn) -> CanonicalDocument:
    """Return documents of headings, paragraphs, quotes, lists, code, tables and pictures."""
    builder = DocumentBuilder()
    kinds = st.sampled_from(("heading", "paragraph", "quote", "list", "code", "table", "image", "blank"))
    for kind in draw(st.lists(kinds, max_size=12)):
        if kind == "heading":
            builder.heading(draw(lines(5)), level=draw(st.integers(1, 4)))
        elif kind == "list":
            builder.listing(*draw(st.lists(phrases(12), min_size=1, max_size=6)), ordered=draw(st.booleans()))
        elif kind == "table":
            cells = st.lists(lines(3), min_size=2, max_size=2)
            builder.table(draw(cells), draw(st.lists(cells, max_size=6)))
        elif kind == "image":
            builder.image(
                draw(st.sampled_from(("a/b.png", "https://x.invalid/c.jpg?w=1"))),
                alt=draw(st.just("") | lines(3)),
            )
        elif kind == "blank":
            builder.image("data:image/png;base64")
        elif kind == "code":
            builder.code(draw(phrases(40)))
        elif kind == "quote":
            builder.quote(draw(phrases()))
        else:
            builder.paragraph(draw(phrases(60)))
    return builder.build()


@st.composite
def paged_documents(draw: st.DrawFn) -> CanonicalDocument:
    """Return documents whose blocks stand on pages: some blank, some without headings, some with known characters."""
    document = draw(documents())
    page, offset, blocks = 1, 0, []
    for block in document.blocks:
        if draw(st.booleans()):
            page, offset = page + draw(st.integers(1, 3)), 0
        length = len(getattr(block, "text", ""))
        span = PageSpan(page=page)
        if length and draw(st.booleans()):
            span = PageSpan(page=page, char_start=offset, char_end=offset + length)
        offset += length
        blocks.append(block.model_copy(update={"source_span": span}))
    return document.model_copy(update={"blocks": tuple(blocks)})


@st.composite
def policies(draw: st.DrawFn) -> ChunkPolicy:
    """Return policies of sizes from the smallest allowed, target and cap in any relation."""
    return make_policy(
        target_tokens=draw(st.integers(16, 60)),
        max_tokens=draw(st.integers(16, 60)),
        overlap_tokens=draw(st.integers(0, 40)),
    )


def code_lines() -> st.SearchStrategy[str]:
    """Return lines of source code: indented, blank, comments, brackets, some long."""
    texts = st.sampled_from((
        "",
        "  ",
        "def f(a, b):",
        "return 값",
        "}",
        "# 주석입니다",
        "x = [1, 2]",
        "---",
        "FROM a AS b",
        "end",
        "kind: A",
    ))
    long = st.text(st.sampled_from("ab 가;"), min_size=20, max_size=200)
    return st.tuples(st.integers(0, 3), texts | long).map(lambda pair: " " * (2 * pair[0]) + pair[1])


@st.composite
def code_documents(draw: st.DrawFn, texts: st.SearchStrategy[str] | None = None) -> CanonicalDocument:
    """Return documents of source code: a file as one block, of `texts` where they are given, or units that may define a symbol."""
    builder = DocumentBuilder(path="src/sample.py")
    if texts is not None:
        return builder.code_unit(draw(texts)).build()
    for number in range(draw(st.integers(1, 3))):
        lines = draw(st.lists(code_lines(), min_size=1, max_size=120 if number == 0 else 12))
        symbol = draw(st.sampled_from((None, "<top-level>", f"f{number}")))
        signature = " ".join(" ".join(lines[: draw(st.integers(1, 3))]).split())
        is_defined = symbol is not None and symbol.startswith("f") and any(line.strip() for line in lines)
        builder.code_unit(
            "\n".join(lines),
            symbol=symbol,
            defines=CodeSymbol(
                symbol=str(symbol), kind=SymbolKind.FUNCTION, line_start=1, line_end=1, signature=signature
            )
            if is_defined
            else None,
        )
    return builder.build()
