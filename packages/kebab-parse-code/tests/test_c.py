"""Constructs of C."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument

Lines = Callable[..., list[str]]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("int f(int a) { return a; }", ["function f"]),
        ("static inline char *g(void)\n{\n}", ["function g"]),
        ("int (*fp(int a))(int) { return 0; }", ["function fp"]),
        ("int old(a, b) int a; char b; { return a; }", ["function old"]),
        ("int proto(void);", ["function proto"]),
        ("char **list(int n);", ["function list"]),
        ("struct S { int a[3], *b; int (*fn)(int); };", ["struct S", "field S.a", "field S.b", "field S.fn"]),
        ("union U { int a; };", ["union U", "field U.a"]),
        ("enum E { X, Y = 2 };", ["enum E", "member E.X", "member E.Y"]),
        ("enum { X, Y };", ["member X", "member Y"]),
        ("typedef struct { int a; } T;", ["struct T", "field T.a"]),
        ("typedef enum { X } T;", ["enum T", "member T.X"]),
        ("typedef struct n { int a; } n_t, *n_p;", ["struct n", "field n.a", "type n_t", "type n_p"]),
        ("typedef struct T { int a; } T;", ["struct T", "field T.a"]),
        ("typedef struct T T;", ["type T"]),
        ("typedef int (*cb_t)(int, void *);", ["type cb_t"]),
        (
            "struct S { struct { int b; } in; union { int c; }; };",
            ["struct S", "field S.in", "field S.in.b", "field S.c"],
        ),
        ("#define MAX(a, b) ((a) > (b) ? (a) : (b))\n", ["macro MAX"]),
        ("#define LIMIT 10\n", ["macro LIMIT"]),
        ("#define EACH(x) \\\n  /* of all */ \\\n  for (x) { }\n", ["macro EACH"]),
        ("void f(void) {\n#define STEP(x) x\n}", ["function f", "macro f.STEP"]),
        ("int a, *b = 0;", ["constant a", "constant b"]),
        ("static int *table[] = { 1, 2 };", ["constant table"]),
        ("int (*handler)(int);", ["constant handler"]),
        ("extern int count;", ["constant count"]),
    ],
)
def test_a_construct_has_its_symbols(symbols: Lines, source: str, expected: list[str]) -> None:
    assert symbols("c", source, path="a.c") == expected


@pytest.mark.parametrize("source", ["struct forward;", "#define GUARD_H\n", "return 1;", "#include <a.h>\n"])
def test_what_defines_nothing_has_no_symbol(symbols: Lines, source: str) -> None:
    assert symbols("c", source, path="a.c") == []


def test_locals_of_a_function_are_no_symbols(symbols: Lines) -> None:
    source = (
        "int f(void) {\n  int a;\n  extern int g(void);\n#ifdef X\n  int b = 1;\n#endif\n  return a;\n}\n"
    )
    assert symbols("c", source, path="a.c") == ["function f"]


def test_both_branches_of_a_condition_are_read(units: Lines) -> None:
    source = "#ifdef X\nint f(void) {\n  return 1;\n}\n#else\nint f(void) {\n  return 2;\n}\n#endif\n"
    assert units("c", source, path="a.c") == ["1-1 <top-level>", "2-4 f", "5-5 <top-level>", "6-9 f"]


def test_a_macro_of_several_lines_is_a_unit_with_its_comment(units: Lines) -> None:
    source = "#define A 1\n#define B 2\n\n/* Swaps. */\n#define SWAP(x) do { \\\n  x; \\\n} while (0)\n\nint f(void) { return 1; }\n"
    assert units("c", source, path="a.c") == ["1-2 <top-level>", "4-7 SWAP", "9-9 f"]


def test_a_prototype_with_a_comment_is_a_unit_and_one_without_is_not(units: Lines) -> None:
    source = "int a(void);\nint b(void);\n\n/* Opens it. */\nint c(void);\n"
    assert units("c", source, path="a.c") == ["1-2 <top-level>", "4-5 c"]


def test_a_prototype_and_its_function_in_the_next_line_are_one_unit(units: Lines, symbols: Lines) -> None:
    source = "int f(void) __attribute__((cold));\nint f(void) {\n  return 1;\n}\n"
    assert units("c", source, path="a.c") == ["1-4 f"]
    assert symbols("c", source, path="a.c") == ["function f"]


def test_a_header_is_read_as_c_where_cpp_leaves_more_unread(
    read: Callable[..., CanonicalDocument], units: Lines
) -> None:
    c = "int class(int new, int this) {\n  int template = new;\n  return template + this;\n}\n"
    assert read("cpp", c, path="a.h").metadata.code_lang == "c"
    assert units("cpp", c, path="a.h") == ["1-4 class"]
    assert read("cpp", c, path="a.hpp").metadata.code_lang == "cpp"
    assert read("cpp", "class A {\n  ~A();\n};\n", path="a.h").metadata.code_lang == "cpp"


@pytest.mark.parametrize(
    ("source", "lang"),
    [
        ('#ifdef __cplusplus\nextern "C" {\n#endif\nint f(int a);\n#ifdef __cplusplus\n}\n#endif\n', "c"),
        ("typedef struct S { int a; int (*fn)(int); } S;\n", "c"),
        ("class A {\n public:\n  int a;\n};\n", "cpp"),
        ("struct A { int f(); };\n", "cpp"),
        ("struct A { int f() { return 1; } };\n", "cpp"),
        ("int f(const std::string& text);\n", "cpp"),
        ("template <class T> T f(T a);\n", "cpp"),
        ("enum class E { A };\n", "cpp"),
    ],
)
def test_a_header_is_c_if_nothing_in_it_is_cpp_alone(
    read: Callable[..., CanonicalDocument], source: str, lang: str
) -> None:
    assert read("cpp", source, path="a.h").metadata.code_lang == lang
