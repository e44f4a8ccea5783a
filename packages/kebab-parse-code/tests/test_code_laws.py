"""What every extractor does, for those of source code, and files that are not as they should be."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeMedia, DependencyMissingError, Extractor, MediaType
from kebab_parse_code import LANGUAGES, CodeExtractor, TextCodeExtractor
from kebab_testing.laws.extractor import ExtractorLaws

SAMPLES = [
    b"",
    b"\n\n",
    b"package p\n\n// \xed\x95\x9c\xea\xb8\x80\nfunc f() {\n}\n",
    "class A {\r\n  /** \u1112\u1161\u11ab */\r\n  void f() {}\r\n}\r\n".encode(),
    b"mod m {\n    fn f() {}\n}\nfn g(",
    b"def f(:\n  }}} ((\nclass",
]


class CodeLaws(ExtractorLaws):
    lang: str

    def make_extractor(self) -> Extractor:
        return CodeExtractor(LANGUAGES[self.lang])

    def media_type(self) -> MediaType:
        return CodeMedia(lang=self.lang)

    def samples(self) -> list[bytes]:
        return SAMPLES


class TestCExtractor(CodeLaws):
    lang = "c"


class TestCppExtractor(CodeLaws):
    lang = "cpp"


class TestGoExtractor(CodeLaws):
    lang = "go"


class TestJavaExtractor(CodeLaws):
    lang = "java"


class TestJavaScriptExtractor(CodeLaws):
    lang = "javascript"


class TestKotlinExtractor(CodeLaws):
    lang = "kotlin"


class TestPythonExtractor(CodeLaws):
    lang = "python"


class TestRustExtractor(CodeLaws):
    lang = "rust"


class TestTypeScriptExtractor(CodeLaws):
    lang = "typescript"


class TestTextCodeExtractor(CodeLaws):
    lang = "shell"

    def make_extractor(self) -> Extractor:
        return TextCodeExtractor()


NESTED = {
    "c": ("int x = ", "f(", ")"),
    "cpp": ("", "namespace a { ", "}"),
    "go": ("package p\nvar x = ", "f(", ")"),
    "java": ("", "class A { ", "}"),
    "javascript": ("", "(function () { ", "})"),
    "kotlin": ("", "class A { ", "}"),
    "python": ("x = ", "(", ")"),
    "rust": ("", "mod m { ", "}"),
    "typescript": ("", "namespace a { ", "}"),
}


@pytest.mark.thorough
@pytest.mark.parametrize("lang", NESTED)
@pytest.mark.parametrize("end", ["", "\n"])
def test_3000_brackets_deep_is_read(read: Callable[..., CanonicalDocument], lang: str, end: str) -> None:
    head, opened, closed = NESTED[lang]
    source = head + (opened + end) * 3000 + "\n" + (closed + end) * 3000 + "\n"
    code = "\n".join(block.code for block in read(lang, source).blocks if isinstance(block, CodeBlock))
    assert [line for line in code.split("\n") if line] == [line for line in source.split("\n") if line]


@pytest.mark.thorough
@pytest.mark.parametrize("lang", NESTED)
def test_a_line_of_100_kb_is_one_block(read: Callable[..., CanonicalDocument], lang: str) -> None:
    source = NESTED[lang][0].split("\n")[0] + "; " + "x = f(1);" * 10_000
    (block,) = read(lang, source).blocks
    assert isinstance(block, CodeBlock)
    assert block.code == source


@pytest.mark.thorough
@pytest.mark.parametrize("lang", NESTED)
def test_a_file_of_100_000_open_brackets_is_read(read: Callable[..., CanonicalDocument], lang: str) -> None:
    source = "{" * 100_000 + "\n# end\n"
    blocks = read(lang, source).blocks
    assert "\n".join(block.code for block in blocks if isinstance(block, CodeBlock)) == source.rstrip("\n")


@pytest.mark.parametrize("lang", NESTED)
def test_encodings_are_told_apart(read: Callable[..., CanonicalDocument], lang: str) -> None:
    for encoding in ("utf-16", "utf-8-sig", "cp949"):
        document = read(lang, "// 합계를 낸다 그리고 돌려준다\n# 합계를 낸다\n".encode(encoding))
        assert any("합계를 낸다" in block.code for block in document.blocks if isinstance(block, CodeBlock))


def test_a_grammar_that_is_missing_is_an_error_that_names_its_package(
    read: Callable[..., CanonicalDocument], monkeypatch: pytest.MonkeyPatch
) -> None:
    from kebab_parse_code import definitions

    definitions._language.cache_clear()
    definitions._query.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    with pytest.raises(DependencyMissingError) as caught:
        read("go", "package p\n")
    assert caught.value.remedy is not None
    assert caught.value.remedy.name == "tree-sitter-go"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("lang", "source"),
    [
        ("javascript", f"a{'.b' * 100_000} = function () {{}};\n"),
        ("typescript", f"a{'.b()' * 100_000};\n"),
        ("java", f"class A {{ void f() {{ a{'.b()' * 100_000}; }} }}\n"),
        ("kotlin", f"val x = a{'.b()' * 100_000}\n"),
        ("cpp", f"int a{'::b' * 100_000}() {{ }}\n"),
        ("python", f"a{'.b()' * 100_000}\n"),
        ("rust", f"fn f() {{ a{'.b()' * 100_000}; }}\n"),
    ],
)
def test_a_chain_of_100_000_names_is_one_block(
    read: Callable[..., CanonicalDocument], lang: str, source: str
) -> None:
    document = read(lang, source)
    (block,) = document.blocks
    assert isinstance(block, CodeBlock)
    assert block.code == source.rstrip("\n")
    assert document.provenance.warnings == (
        "it has a chain of more than 1,000 names, and no definition of it is a symbol",
    )


def test_a_file_in_too_many_pieces_is_told(read: Callable[..., CanonicalDocument]) -> None:
    warnings = read("python", "def f(:\n" + "( ] " * 30_000 + "\n").provenance.warnings
    assert (
        "more than 10,000 pieces of it in a row cannot be read, and no definition of it is a symbol"
        in warnings
    )


def test_places_that_are_not_tried_again_are_told(read: Callable[..., CanonicalDocument]) -> None:
    source = "def broken(:\n    (\n\n\ndef f():\n    pass\n\n\n" * 40
    events = read("python", source).provenance.events
    (note,) = (event.note or "" for event in events if event.kind == "normalized")
    assert note.startswith("only 16 of the places that cannot be read were tried again")
