"""The lines of a file, each in one unit."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings, strategies as st
from kebab_core import CanonicalDocument, CodeBlock, CodeMedia, CodeSpan
from kebab_parse import decode_text, normalize_text
from kebab_parse_code import LANGUAGES, CodeExtractor
from kebab_testing.documents import make_context
from kebab_testing.families import examples

LINES = {
    "c": (
        "int f(int a) {", "struct S { int a, *b; };", "typedef struct {", "} T;", "#define M(x) x", "#ifdef X", "#endif", "/* 설명 */",
        "enum { A, B = 2 };", "static int x[] = {", "};", "int g(void);", "return 1;", "char *s = \"", "int (*cb)(int);", "#define L \\",
    ),
    "cpp": (
        "namespace a::b {", "namespace {", "class A : public B {", "class X_API B {", "template <class T>", "  A(); ~A();", "  int f() {",
        "bool A::operator==(B) {", "using T = int;", "enum class E { A };", "// 설명", "TEST(A, b) {", "X_BEGIN", "};", "extern \"C\" {", "#if X",
    ),
    "go": (
        "package p", "func f() {", "func (t *T) g() int { return 1 }", "type T struct {", "\ta, b int", "type (", "// doc",
        "\tI interface { f() }", "const A, B = 1, 2", "var x = `", "return x", 'import "fmt"', "T = int", "}", "/* 설명 */", "case 1:",
    ),
    "java": (
        "package a.b;", "class A {", "enum E { A, B;", "interface I { void f(); }", "  @Test void t() {", "  int a, b = 1;",
        "  /** 설명 */", "  A() {}", "  void m() throws E {", "record R(int a) {", "  return new A() {", "// x", "  static {", "  }",
    ),
    "javascript": (
        "function f(a) {", "const g = (a) => {", "export default class {", "class A extends B {", "  m() { return 1 }", "  #x = () => 1;",
        "module.exports.y = function () {", "const o = { a() {}, b: 1,", "/** 설명 */", "it('t', () => {", "});", "`${", "<A b={1}>", "};", "get v() {",
    ),
    "kotlin": (
        "package a.b", "class A(val x: Int) {", "class B { val y = 1 }", "  fun f() = 1", "  fun g() {", "  companion object {",
        "enum class E { A, B;", "object O", "typealias T = Int", "  @Test", "fun String.e() {", "  val a by lazy { 1 }", "// 설명", "  }",
    ),
    "python": (
        "class A:", "class B(A): x = 1", "    def f(self):", "def g(): pass", "        return 1", "    y: int = 2", "@dec",
        "# remark", "    # 설명", "x = 1; y = 2", "if x:", "    '''", "('", "import os", "async def h(a,", "):", "    class C:",
    ),
    "rust": (
        "mod m {", "impl A {", "impl<T> B for A<T>", "    fn f(&self) {", "fn g() {}", "struct A { a: u8 }", "enum E {", "    A, B(u8),",
        "/// 설명", "#[test]", "#[cfg(test)]", "macro_rules! m { () => {} }", "trait T { fn a(); }", "const A: u8 = 1;", "    }", "where",
    ),
    "typescript": (
        "interface I {", "  a: string;", "  m(x: number): void", "type T = { a: 1 };", "export const enum E { A,", "namespace N.M {", "@dec()",
        "abstract class A<T> {", "function f(a: string): void;", "function f(a: any) {", "declare module 'x' {", "// 설명", "const g = async <T,>(", "}", "private x = 1;",
    ),
}  # fmt: skip
"""Lines of a language, from which files are made that may or may not be right."""
_COMMON = (
    "",
    "   ",
    "\t",
    "}",
    "{",
    ")",
    "*/",
    "/*",
    "// 한글",
    "#",
    '"',
    "\f",
    "가나다",
    "\u2028",
    "x" * 50,
)


LANGS = st.sampled_from(sorted(LINES))


def files_of(lang: str) -> st.SearchStrategy[str]:
    """Return files of lines of a language, with any line ends."""
    line = st.sampled_from(LINES[lang] + _COMMON) | st.text(
        st.characters(exclude_categories=("C",)), max_size=8
    )
    end = st.sampled_from(["\n", "\n", "\r\n", "\r", "\n\n", " "])
    return st.lists(st.tuples(line, end).map("".join), max_size=30).map("".join)


def read(lang: str, source: str, *, path: str = "pkg/sample.src") -> CanonicalDocument:
    """Read a file."""
    content = source.encode()
    context = make_context(content, path=path, media_type=CodeMedia(lang=lang))
    return CodeExtractor(LANGUAGES[lang]).extract(context, content)


def test_there_are_lines_for_each_language() -> None:
    assert set(LINES) == set(LANGUAGES)


@pytest.mark.thorough
@settings(max_examples=examples(900))
@given(lang=LANGS, data=st.data())
def test_every_line_that_is_not_blank_is_in_one_unit_in_order(lang: str, data: st.DataObject) -> None:
    source = data.draw(files_of(lang))
    lines = normalize_text(source).split("\n")
    assume(
        decode_text(source.encode()).encoding == "utf-8"
    )  # a few letters may be likelier in another encoding
    rows: list[int] = []
    for block in read(lang, source).blocks:
        assert isinstance(block, CodeBlock)
        assert isinstance(block.source_span, CodeSpan)
        first, last = block.source_span.line_start, block.source_span.line_end
        assert block.code.split("\n") == lines[first - 1 : last]
        assert lines[first - 1].strip()
        assert lines[last - 1].strip()
        rows += range(first, last + 1)
    assert rows == sorted(set(rows))
    assert {row for row, line in enumerate(lines, start=1) if line.strip()} <= set(rows)


@pytest.mark.thorough
@settings(max_examples=examples(900))
@given(lang=LANGS, data=st.data())
def test_what_a_unit_defines_begins_in_its_lines(lang: str, data: st.DataObject) -> None:
    for block in read(lang, data.draw(files_of(lang))).blocks:
        assert isinstance(block, CodeBlock)
        assert isinstance(block.source_span, CodeSpan)
        for symbol in block.symbols or ():
            assert block.source_span.line_start <= symbol.line_start <= block.source_span.line_end
            assert symbol.line_start <= symbol.line_end


@pytest.mark.thorough
@settings(max_examples=examples(900))
@given(lang=LANGS, data=st.data())
def test_statements_begin_after_the_first_line_of_their_unit_each_line_at_one_depth(
    lang: str, data: st.DataObject
) -> None:
    source = f"{data.draw(files_of(lang))}// {'x' * 800}\n"
    for block in read(lang, source).blocks:
        assert isinstance(block, CodeBlock)
        assert isinstance(block.source_span, CodeSpan)
        depths = block.statements or ()
        lines = [line for depth in depths for line in depth]
        assert len(set(lines)) == len(lines)
        assert all(block.source_span.line_start < line <= block.source_span.line_end for line in lines)
        assert all(list(depth) == sorted(depth) for depth in depths)


def test_lines_between_methods_belong_to_their_class(units: Callable[..., list[str]]) -> None:
    source = "class A:\n    x = 1\n\n    def f(self):\n        pass\n\n    y = 2\n"
    assert units("python", source, path="m.py") == ["1-2 m.A", "4-5 m.A.f", "7-7 m.A"]


def test_a_class_in_one_line_is_one_unit_with_its_members(
    units: Callable[..., list[str]], symbols: Callable[..., list[str]]
) -> None:
    source = "class A: x = 1; y = 2\n"
    assert units("python", source, path="m.py") == ["1-1 m.A"]
    assert symbols("python", source, path="m.py") == ["class m.A", "field m.A.x", "field m.A.y"]


def test_a_broken_place_has_no_symbol_and_what_is_around_it_stays(units: Callable[..., list[str]]) -> None:
    source = "def f():\n    return 1\n\n$$ broken ((\n\ndef g():\n    return 2\n"
    assert units("python", source, path="m.py") == ["1-2 m.f", "4-4 None", "6-7 m.g"]


def test_a_few_lines_that_are_broken_belong_to_the_leftover_beside_them(
    units: Callable[..., list[str]],
) -> None:
    source = "import a\nimport b\n$$ broken ((\n\ndef g():\n    return 2\n"
    assert units("python", source, path="m.py") == ["1-3 <top-level>", "5-6 m.g"]
    many = "import a\n" + "$$ broken ))\n" * 5 + "\ndef g():\n    return 2\n"
    assert units("python", many, path="m.py") == ["1-6 None", "8-9 m.g"]


UNCLOSED = {
    "c": """\
int f(void) {
  return 1;
}

int broken(int a) {
  if (a) {
    x(1;
  return 2;
}

int g(void) {
  return 3;
}

struct S {
  int a;
};
""",
    "cpp": """\
int f() {
  return 1;
}

int broken(int a) {
  if (a) {
    x(1;
  return 2;
}

int g() {
  return 3;
}

class S {
  int a();
};
""",
    "go": """\
package p

func f() int {
	return 1
}

func broken(a int) {
	if a {
		x(1
	return 2
}

func g() int {
	return 3
}

type S struct {
	a int
}
""",
    "javascript": """\
function f() {
  return 1
}

function broken(a) {
  if (a) {
    x(1
  return 2
}

function g() {
  return 3
}

class S {
  m() {}
}
""",
    "kotlin": """\
fun f(): Int {
  return 1
}

fun broken(a: Int) {
  if (a) {
    x(1
  return 2
}

fun g(): Int {
  return 3
}

class S {
  fun m() {}
}
""",
    "python": """\
import os

def f():
    return 1

def broken(a, b:
    x = foo(1
    return x

def g():
    return 2

class S:
    def m(self):
        pass
""",
    "rust": """\
fn f() -> u8 {
    1
}

fn broken(a: u8) {
    if a {
        x(1;
    2
}

fn g() -> u8 {
    3
}

struct S {
    a: u8,
}
""",
    "typescript": """\
function f() {
  return 1
}

function broken(a: number) {
  if (a) {
    x(1
  return 2
}

function g() {
  return 3
}

class S {
  m() {}
}
""",
}
"""A file with two definitions behind one that closes none of its brackets."""


@pytest.mark.thorough
@pytest.mark.parametrize("lang", UNCLOSED)
@pytest.mark.parametrize("is_closed", [False, True], ids=["two open", "one open"])
def test_what_follows_an_unclosed_bracket_is_read(
    read: Callable[..., CanonicalDocument], lang: str, is_closed: bool
) -> None:
    source = UNCLOSED[lang].replace("(1", "(1)") if is_closed else UNCLOSED[lang]
    spans = [block.source_span for block in read(lang, source, path="m.x").blocks]
    symbols = [span.symbol for span in spans if isinstance(span, CodeSpan)]
    broken = next(line for line, text in enumerate(source.split("\n"), start=1) if "broken" in text)
    assert [span.line_start for span in spans if isinstance(span, CodeSpan) and span.symbol is None] == [
        broken
    ]
    assert {"f", "g", "S"} <= {re.split(r"\W+", symbol or "")[-1] for symbol in symbols}


def test_definitions_3000_deep_are_read(read: Callable[..., CanonicalDocument]) -> None:
    source = "".join(f"{' ' * depth}class C{depth}:\n" for depth in range(3000)) + " " * 3000 + "x = 1\n"
    document = read("python", source)
    blocks = document.blocks
    (warning,) = document.provenance.warnings
    assert warning.endswith("definitions deeper than 32 are no symbols")
    assert max(len(block.heading_path) for block in blocks) <= 64
    assert sum(block.code.count("\n") + 1 for block in blocks if isinstance(block, CodeBlock)) == 3001


def test_line_ends_of_any_kind_count_as_one_line(units: Callable[..., list[str]]) -> None:
    assert units("python", "def f():\r\n\treturn 1\r\n\r\ndef g():\r\n\treturn 2", path="m.py") == [
        "1-2 m.f",
        "4-5 m.g",
    ]
