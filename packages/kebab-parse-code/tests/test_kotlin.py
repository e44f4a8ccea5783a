from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock

Lines = Callable[..., list[str]]


def test_definitions_of_every_kind_have_symbols(symbols: Lines) -> None:
    source = """\
package com.example

data class A<T>(val x: Int, private var y: String = "", z: Int) : B(x) {
    constructor(a: Int) : this(a, "") { }
    val p: Int get() = 1
    fun <T> g(x: T) where T : Any {
        fun nested() {}
    }
    companion object {
        const val K = 1
        fun make() = A()
    }
    companion object Named {
        fun f() {}
    }
    inner class In
    object Obj
}
interface I {
    val b: Int
    fun a()
}
fun interface F {
    fun invoke()
}
enum class E(val c: Int) {
    A(1), B(2) {
        override fun f() {}
    };
    fun em() {}
}
typealias L<T> = List<T>
val top = 1
val (a, b) = 1 to 2
"""
    assert symbols("kotlin", source) == [
        "class com.example.A",
        "field com.example.A.x",
        "field com.example.A.y",
        "method com.example.A.A",
        "field com.example.A.p",
        "method com.example.A.g",
        "function com.example.A.g.nested",
        "class com.example.A.Companion",
        "field com.example.A.Companion.K",
        "method com.example.A.Companion.make",
        "class com.example.A.Named",
        "method com.example.A.Named.f",
        "class com.example.A.In",
        "class com.example.A.Obj",
        "interface com.example.I",
        "field com.example.I.b",
        "method com.example.I.a",
        "interface com.example.F",
        "method com.example.F.invoke",
        "enum com.example.E",
        "field com.example.E.c",
        "member com.example.E.A",
        "member com.example.E.B",
        "function com.example.E.B.f",
        "method com.example.E.em",
        "type com.example.L",
        "constant com.example.top",
        "constant com.example.a",
        "constant com.example.b",
    ]


@pytest.mark.parametrize(
    "source",
    [
        "fun String.ext(x: Int): String = this\n",
        "fun <T> List<T>.ext() {}\n",
        "inline fun <reified T> A.B?.ext(crossinline b: () -> T) {}\n",
    ],
)
def test_extensions_are_named_as_they_are_imported(symbols: Lines, source: str) -> None:
    assert symbols("kotlin", f"package p\n{source}") == ["function p.ext"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("class A{ fun f(){} }", ["class <unknown>.A", "method <unknown>.A.f"]),
        ("class A { val x = 1 }", ["class <unknown>.A", "field <unknown>.A.x"]),
        ("class A { object B }", ["class <unknown>.A", "class <unknown>.A.B"]),
        ("enum class E { A, B; fun f() {} }", ["enum <unknown>.E", "member <unknown>.E.A", "member <unknown>.E.B", "method <unknown>.E.f"]),
        ("class A { companion object { val x = 1 } }", ["class <unknown>.A", "class <unknown>.A.Companion", "field <unknown>.A.Companion.x"]),
    ],
)  # fmt: skip
def test_a_class_in_one_line_is_read(symbols: Lines, units: Lines, line: str, expected: list[str]) -> None:
    after = '\n\nfun after() {\n    val s = "${x } }"\n}\n'
    for end in ("", "\n"):
        assert symbols("kotlin", line + end) == expected
    assert symbols("kotlin", line + after) == [*expected, "function <unknown>.after"]
    assert units("kotlin", line + after)[-1] == "3-5 <unknown>.after"


def test_kdoc_annotations_and_remarks_behind_them_belong_to_a_function(units: Lines) -> None:
    source = """\
@file:JvmName("Foo")

package p

import x.y

/** Doc. */
@Named
class A {
    init {
        start()
    }

    /**
     * Doc.
     */
    @Deprecated("x")
    fun f() {
    }
}

/**
 * Doc.
 */
@JvmName("g") // for Java
fun g() = 1
"""
    assert units("kotlin", source) == ["1-5 <top-level>", "7-12 p.A", "14-20 p.A.f", "22-26 p.g"]


def test_names_in_backquotes_stay_as_written_and_tests_are_told_by_annotations(
    read: Callable[..., CanonicalDocument],
) -> None:
    source = "package p\nclass A {\n    val x = 1\n\n    @Test fun `reads a file`() { }\n}\n"
    block = read("kotlin", source).blocks[-1]
    assert isinstance(block, CodeBlock)
    assert block.symbols is not None
    assert (block.symbols[0].symbol, block.role) == ("p.A.`reads a file`", "test")


def test_a_script_without_definitions_is_a_module(units: Lines) -> None:
    assert units("kotlin", 'plugins {\n    id("x")\n}\n', path="build.gradle.kts") == ["1-3 <module>"]


def test_an_annotation_before_a_function_in_one_line_is_read(units: Lines, symbols: Lines) -> None:
    source = 'class A {\n}\n@Deprecated("no") fun f() {}\n@Named("x")\nfun g() {\n}\n\nval x = a\n@B(1) fun h() = 1\n'
    assert units("kotlin", source)[1:] == [
        "3-3 <unknown>.f",
        "4-6 <unknown>.g",
        "8-8 <top-level>",
        "9-9 <unknown>.h",
    ]
    assert "function <unknown>.f" in symbols("kotlin", source)


def test_a_class_below_annotations_is_not_taken_for_an_expression(symbols: Lines, units: Lines) -> None:
    source = """\
@First
@Second(A::class)
internal expect annotation class N()

val x = 1

@Suppress("a (b) fun c")
@Third
public actual open class L {
    fun f() {
    }
}
"""
    assert symbols("kotlin", source) == [
        "class <unknown>.N",
        "constant <unknown>.x",
        "class <unknown>.L",
        "method <unknown>.L.f",
    ]
    assert units("kotlin", source) == [
        "1-3 <unknown>.N",
        "5-5 <top-level>",
        "7-9 <unknown>.L",
        "10-12 <unknown>.L.f",
    ]
