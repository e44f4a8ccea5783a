from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock

Lines = Callable[..., list[str]]


def test_methods_have_their_receiver_in_the_symbol(symbols: Lines) -> None:
    source = """\
package web

func New() *T { return nil }
func (t *T) M() {}
func (T) V() {}
func (t *G[K, V]) P() {}
func (p *(T)) Q() {}
func Asm(x int) int
"""
    assert symbols("go", source) == [
        "function web.New",
        "method web.(*T).M",
        "method web.T.V",
        "method web.(*G).P",
        "method web.(*T).Q",
        "function web.Asm",
    ]


def test_types_have_fields_and_methods_as_members(symbols: Lines) -> None:
    source = """\
package p

type T[K any] struct {
	X, Y int `json:"x"`
	Embedded
	*pkg.Pointer
	Generic[K]
}

type I interface {
	Do(x int) error
	io.Reader
}

type F func(int)

type A = int
"""
    assert symbols("go", source) == [
        "struct p.T",
        "field p.T.X",
        "field p.T.Y",
        "field p.T.Embedded",
        "field p.T.Pointer",
        "field p.T.Generic",
        "interface p.I",
        "method p.I.Do",
        "type p.F",
        "type p.A",
    ]


def test_types_in_one_group_are_units_of_their_own(units: Lines) -> None:
    source = "package p\n\ntype (\n\t// A doc.\n\tA struct {\n\t\tx int\n\t}\n\tB = int\n)\n"
    assert units("go", source) == ["1-3 <top-level>", "4-7 p.A", "8-9 p.B"]


def test_constants_and_variables_of_a_package_are_symbols_and_those_of_functions_are_not(
    symbols: Lines,
) -> None:
    source = """\
package p

const (
	A = iota
	B, C = 1, 2
)

var x, y = 1, 2
var (
	z int
	_ I = T{}
)

func f() {
	const local = 1
	var other int
	type inner struct{ x int }
}
"""
    names = [line for line in symbols("go", source) if line.startswith(("constant", "function", "struct"))]
    assert names == [*(f"constant p.{name}" for name in "ABCxyz"), "function p.f"]


def test_comments_directly_above_belong_to_a_definition(units: Lines) -> None:
    source = "package p // remark\n\n// Far.\n\n// Near,\n// nearer.\nfunc f() {\n}\n\nfunc g() {}\n"
    assert units("go", source) == ["1-3 <top-level>", "5-8 p.f", "10-10 p.g"]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("TestX", "test"),
        ("BenchmarkX", "test"),
        ("ExampleT_M", "test"),
        ("Test", "test"),
        ("Testify", "definition"),
    ],
)
def test_tests_are_told_by_their_names(read: Callable[..., CanonicalDocument], name: str, role: str) -> None:
    block = read("go", f"package p\nfunc {name}() {{\n}}\n").blocks[-1]
    assert isinstance(block, CodeBlock)
    assert block.role == role


def test_signatures_end_before_the_body(read: Callable[..., CanonicalDocument]) -> None:
    source = "package p\ntype T struct {\n\tX int\n}\ntype I interface {\n\tM()\n}\nfunc (t *T) M() (int, error) {\n}\n"
    blocks = read("go", source).blocks
    signatures = [
        s.signature for block in blocks if isinstance(block, CodeBlock) for s in block.symbols or ()
    ]
    assert signatures == ["type T struct", "X int", "type I interface", "M()", "func (t *T) M() (int, error)"]


def test_a_file_without_a_package_has_symbols_without_prefix(symbols: Lines) -> None:
    assert symbols("go", "func f() {}\n") == ["function f"]
