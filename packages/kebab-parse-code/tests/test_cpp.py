"""Constructs of C++."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeRole

Lines = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("namespace a::b { int f() { return 1; } }", ["function a::b::f", "namespace a::b"]),
        ("namespace { int f() { return 1; } }", ["function <anonymous>::f", "namespace <anonymous>"]),
        ("inline namespace v1 { struct S { int a; }; }", ["struct v1::S", "namespace v1", "field v1::S::a"]),
        ("template <class T, int N> class Box { T a; };", ["class Box", "field Box::a"]),
        ("template <> class Box<int, 3> { int a; };", ["class Box", "field Box::a"]),
        ("template <class T> int *Box<T, 1>::at(int i) const { return 0; }", ["method Box::at"]),
        ("template <class T> T twice(T a) { return a; }", ["function twice"]),
        ("Box::Box() : x_(1) {}", ["method Box::Box"]),
        ("Box::~Box() {}", ["method Box::~Box"]),
        ("bool Box::operator==(const Box& o) const { return true; }", ["method Box::operator=="]),
        ("Box::operator bool() const { return x; }", ["method Box::operator bool"]),
        ("int Out::In::fn() { return 1; }", ["method Out::In::fn"]),
        ('void operator""_kb(unsigned long long x) {}', ['function operator""_kb']),
        ("void *operator new (size_t n) { return 0; }", ["function operator new"]),
        ("auto f(int a) -> int { return a; }", ["function f"]),
        ("using Map = std::map<int, int>;", ["type Map"]),
        ("template <class T> using Vec = std::vector<T>;", ["type Vec"]),
        ("template <class T> concept Addable = requires(T a) { a + a; };", ["type Addable"]),
        ("namespace fs = std::filesystem;", ["type fs"]),
        (
            "enum class Color : int { Red, Green = 2 };",
            ["enum Color", "member Color::Red", "member Color::Green"],
        ),
        ('extern "C" int one(int a) { return a; }', ["function one"]),
        ('extern "C" {\nint a(void);\nint b(void) { return 1; }\n}', ["function a", "function b"]),
        ("const int kLimit = 3;", ["constant kLimit"]),
        ("struct alignas(8) A { int a; };", ["struct A", "field A::a"]),
    ],
)
def test_a_construct_has_its_symbols(symbols: Lines, source: str, expected: list[str]) -> None:
    assert symbols("cpp", source, path="a.cc") == expected


def test_a_class_has_its_members(symbols: Lines) -> None:
    source = """\
class Box {
 public:
  Box();
  explicit Box(int x) : x_(x) {}
  virtual ~Box() = default;
  operator bool() const { return true; }
  T* operator->();
  T& at(int i);
  T** rows();
  void operator()(int a) {}
  friend std::ostream& operator<<(std::ostream& o, const Box& b) { return o; }
  friend class Other;
  using value_type = T;
  enum class Color { Red };
  struct Inner { int z; void g() {} };
  static constexpr int kMax = 5;
  int x_ = 0, *y_;
  template <class U> void put(U u) {}
  Box& operator=(Box&&) = delete;
};
"""
    assert [line.replace("Box::", "", 1) for line in symbols("cpp", source, path="a.cc")] == [
        "class Box",
        "method Box",
        "method ~Box",
        "method operator bool",
        "method operator->",
        "method at",
        "method rows",
        "method operator()",
        "method operator<<",
        "type value_type",
        "enum Color",
        "member Color::Red",
        "struct Inner",
        "field Inner::z",
        "method Inner::g",
        "field kMax",
        "field x_",
        "field y_",
        "method put",
        "method operator=",
    ]


def test_lines_of_a_namespace_belong_to_the_file(units: Lines) -> None:
    source = """\
#include "a.h"

namespace store {

int f() {
  return 1;
}

namespace {
int g() { return 2; }
}  // namespace

}  // namespace store
"""
    assert units("cpp", source, path="a.cc") == [
        "1-3 <top-level>",
        "5-7 store::f",
        "9-9 <top-level>",
        "10-13 store::<anonymous>::g",
    ]


def test_tests_of_googletest_are_named_by_suite_and_case(read: Callable[..., CanonicalDocument]) -> None:
    source = (
        "TEST(Cart, Adds) {\n  EXPECT_EQ(1, 1);\n}\n\nTEST_F(CartTest, Empty) {\n  ASSERT_TRUE(true);\n}\n"
    )
    blocks = [block for block in read("cpp", source, path="a.cc").blocks if isinstance(block, CodeBlock)]
    assert [(block.heading_path, block.role) for block in blocks] == [
        (("Cart", "Adds"), CodeRole.TEST),
        (("CartTest", "Empty"), CodeRole.TEST),
    ]


def test_what_a_macro_makes_of_a_block_is_no_function(symbols: Lines) -> None:
    assert symbols("cpp", "REGISTER(x) {\n  int a;\n}\nvoid f() {}\n", path="a.cc") == ["function f"]


MACROS = """\
FMT_BEGIN_NAMESPACE
FMT_EXPORT_BEGIN

// A view of a text.
template <typename Char> class FMT_API text_view : public base {
 private:
  const Char* data_;

 public:
  FMT_CONSTEXPR text_view(const Char* s) FMT_NOEXCEPT : data_(s) {}
  FMT_NODISCARD FMT_CONSTEXPR auto data() const -> const Char* { return data_; }
};

class FMT_API error {
 public:
  error() = default;
};

template <typename T, FMT_ENABLE_IF(is_integral<T>::value)>
FMT_CONSTEXPR FMT_INLINE auto is_negative(T value) -> bool {
  return value < 0;
}

FMT_NORETURN FMT_API void fail(const char* message);

FMT_END_NAMESPACE
"""


def test_macros_in_front_of_a_definition_do_not_hide_it(units: Lines, symbols: Lines) -> None:
    found = symbols("cpp", MACROS, path="a.cc")
    for symbol in (
        "class text_view",
        "field text_view::data_",
        "method text_view::text_view",
        "method text_view::data",
        "class error",
        "method error::error",
        "function is_negative",
        "function fail",
    ):
        assert symbol in found
    assert "19-22 is_negative" in units("cpp", MACROS, path="a.cc")


def test_a_signature_keeps_the_macros_that_were_left_out_to_read_it(
    read: Callable[..., CanonicalDocument],
) -> None:
    signatures = {
        symbol.symbol: symbol.signature
        for block in read("cpp", MACROS, path="a.cc").blocks
        if isinstance(block, CodeBlock)
        for symbol in block.symbols or ()
    }
    assert signatures["text_view"] == "template <typename Char> class FMT_API text_view : public base"


@pytest.mark.parametrize("line", ["@@ broken ]]", "foo bar baz"])
def test_a_place_that_stays_broken_has_no_symbol_and_definitions_around_it_stay(
    units: Lines, line: str
) -> None:
    source = f"int before() {{\n  return 1;\n}}\n\n{line}\n\nint after() {{\n  return 2;\n}}\n"
    assert units("cpp", source, path="a.cc") == ["1-3 before", "5-5 None", "7-9 after"]


def test_a_brace_that_is_never_closed_loses_no_definition(symbols: Lines) -> None:
    source = "class A {\n  int f() {\n    return 1;\n  }\n\nint g() {\n  return 2;\n}\n"
    assert {line.split("::")[-1].split()[-1] for line in symbols("cpp", source, path="a.cc")} >= {"f", "g"}


def test_tests_of_catch2_and_doctest_are_named_after_their_text(
    read: Callable[..., CanonicalDocument], units: Lines
) -> None:
    source = """\
// Sums.
TEST_CASE("adds up numbers", "[math]") {
  SECTION("one") {
    REQUIRE(1 == 1);
  }
}

namespace n {
TEST_CASE_METHOD(Fixture, "sub") {
  f();
}
}
"""
    assert units("cpp", source) == ["1-6 adds up numbers", "8-8 <top-level>", "9-12 n::sub"]
    roles = [block.role for block in read("cpp", source).blocks if isinstance(block, CodeBlock)]
    assert roles == ["test", "leftover", "test"]


@pytest.mark.parametrize(
    ("source", "langs", "expected"),
    [
        ("struct API f { int a; };", "c cpp", ["struct f", "field f.a"]),
        ("enum API f { A };", "c cpp", ["enum f", "member f.A"]),
        ("API struct f { int a; };", "c cpp", ["struct f", "field f.a"]),
        ("API\nINLINE\nint f(int a)\n{\n  return a;\n}", "c cpp", ["function f"]),
        ("MACRO(x) void f(int a) { g(); }", "c cpp", ["function f"]),
        ("JNIEXPORT jint JNICALL f(JNIEnv *e) { return 1; }", "c cpp", ["function f"]),
        ("int f(const char *a, ...) PRINTF_LIKE(1, 2);", "c cpp", ["function f"]),
        ("int f(int a) PURE(1, 2) { return a; }", "c cpp", ["function f"]),
        (
            "void g() {\n  {\n    ADD ADD ADD\n    ADD\n  }\n  a = b;\n}\nvoid f() { }",
            "c cpp",
            ["function g", "function f"],
        ),
        ("class API f : Base { void m() { } };", "cpp", ["class f", "method f.m"]),
        ("class Api NoTable(1)\nf final : public Base { int a; };", "cpp", ["class f", "field f.a"]),
        ("API\nclass f : public Base { int a; };", "cpp", ["class f", "field f.a"]),
        ("class f {\n  OBJECT(x)\npublic:\n  void m();\n};", "cpp", ["class f", "method f.m"]),
        ("class f { API explicit f(int a); API ~f(); };", "cpp", ["class f", "method f.f", "method f.~f"]),
        ('extern "C" API void WINAPI f(int a) { g(); }', "cpp", ["function f"]),
        ("struct Point f{1, 2};", "cpp", ["constant f"]),
        (
            'class API f {\n public:\n  OLD("since 2")\n  ::a::S g(int x);\n  OLD("")\n  ::a::S h();\n};',
            "cpp",
            ["class f", "method f.g", "method f.h"],
        ),
        ("struct S { MY_TYPE f; };\nint g(int a) PURE(1, 2);", "c cpp", ["field S.f"]),
        (
            "// A class for data\nclass API f : Base { void m(); };\n// helper class\nnamespace n { int g() { } }",
            "cpp",
            ["class f", "method f.m", "function n.g"],
        ),
    ],
)
def test_macros_are_told_by_their_places(
    symbols: Lines, source: str, langs: str, expected: list[str]
) -> None:
    for lang in langs.split():
        found = {line.replace("::", ".") for line in symbols(lang, source + "\n", path=f"a.{lang}")}
        assert found >= set(expected)
