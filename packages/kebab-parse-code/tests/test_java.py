from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock

Lines = Callable[..., list[str]]


def test_symbols_begin_with_the_package_and_constructors_are_doubled(symbols: Lines) -> None:
    source = """\
package com.example . web;

public class Outer<T> extends A {
  private static final int K = 1, L = 2;
  Outer(int x) { }
  <U> U m(int a) throws E { class Local { void lm() {} } return null; }
  abstract void abs();
  class Inner { class Deep { int deep; } }
}
"""
    assert symbols("java", source) == [
        "class com.example.web.Outer",
        "field com.example.web.Outer.K",
        "field com.example.web.Outer.L",
        "method com.example.web.Outer.Outer",
        "method com.example.web.Outer.m",
        "class com.example.web.Outer.m.Local",
        "method com.example.web.Outer.m.Local.lm",
        "method com.example.web.Outer.abs",
        "class com.example.web.Outer.Inner",
        "class com.example.web.Outer.Inner.Deep",
        "field com.example.web.Outer.Inner.Deep.deep",
    ]


def test_enums_interfaces_annotations_and_records_have_members(symbols: Lines) -> None:
    source = """\
enum E { A(1) { void z() {} }, B; E(int x) {} }
interface I { int X = 1; void m(); default void d() {} }
@interface N { int value() default 1; }
record R(int a, String b) { R { } static int q() { return 1; } }
"""
    assert symbols("java", source) == [
        "enum <unknown>.E",
        "member <unknown>.E.A",
        "method <unknown>.E.A.z",
        "member <unknown>.E.B",
        "method <unknown>.E.E",
        "interface <unknown>.I",
        "constant <unknown>.I.X",
        "method <unknown>.I.m",
        "method <unknown>.I.d",
        "interface <unknown>.N",
        "method <unknown>.N.value",
        "class <unknown>.R",
        "field <unknown>.R.a",
        "field <unknown>.R.b",
        "method <unknown>.R.R",
        "method <unknown>.R.q",
    ]


def test_javadoc_and_annotations_belong_to_a_method_and_what_is_between_to_the_class(units: Lines) -> None:
    source = """\
package p;

import x.Y;

/** Doc. */
@Named
public class A {
  int x;

  /**
   * Doc.
   */
  @Override
  public void f() {
  }

  static {
    init();
  }

  // Remark.
  void g() {
  }
}
"""
    assert units("java", source) == ["1-3 <top-level>", "5-8 p.A", "10-15 p.A.f", "17-19 p.A", "21-24 p.A.g"]


def test_methods_of_an_anonymous_class_belong_to_the_method_around_it(units: Lines, symbols: Lines) -> None:
    source = "class A {\n  void f() {\n    new R() {\n      public void run() {}\n    };\n  }\n}\n"
    assert units("java", source) == ["1-1 <unknown>.A", "2-7 <unknown>.A.f"]
    assert symbols("java", source)[-1] == "method <unknown>.A.f.run"


@pytest.mark.parametrize(
    ("annotation", "role"),
    [
        ("@Test", "test"),
        ("@Test(expected = E.class)", "test"),
        ("@org.junit.Test", "test"),
        ("@Slow @ParameterizedTest", "test"),
        ("@Testable", "definition"),
        ("@Override", "definition"),
    ],
)
def test_tests_are_told_by_their_annotations(
    read: Callable[..., CanonicalDocument], annotation: str, role: str
) -> None:
    block = read("java", f"class A {{\n  int x;\n\n  {annotation}\n  void f() {{ }}\n}}\n").blocks[-1]
    assert isinstance(block, CodeBlock)
    assert block.role == role
