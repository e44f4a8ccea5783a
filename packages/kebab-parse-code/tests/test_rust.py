from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock

Lines = Callable[..., list[str]]


def test_attributes_and_doc_comments_belong_to_what_they_stand_above(units: Lines) -> None:
    source = (
        "use a::b;\n\n/// Doc.\n#[derive(Debug)]\npub struct A {\n    x: u8,\n}\n\n// Remark.\nfn f() {\n}\n"
    )
    assert units("rust", source, path="src/m.rs") == ["1-1 <top-level>", "3-7 m::A", "9-11 m::f"]


def test_methods_of_an_impl_are_those_of_its_type_and_the_first_has_the_opening_line(units: Lines) -> None:
    source = "impl<T> fmt::Display for a::A<T>\nwhere\n    T: X,\n{\n    fn f(&self) {\n    }\n\n    fn g() {}\n}\n"
    assert units("rust", source, path="src/m.rs") == ["1-6 m::A::f", "8-9 m::A::g"]


def test_lines_of_an_impl_that_define_something_are_a_leftover_of_its_type(
    read: Callable[..., CanonicalDocument], units: Lines
) -> None:
    source = "impl I for A {\n    const K: u8 = 1;\n    type Item = u8;\n\n    fn f() {}\n}\n"
    assert units("rust", source, path="src/m.rs") == ["1-3 m::A", "5-6 m::A::f"]
    in_one_line = "impl I for A { fn f() {} }\n"
    leftover, _, whole = (*read("rust", source).blocks, *read("rust", in_one_line).blocks)
    assert isinstance(leftover, CodeBlock)
    assert isinstance(whole, CodeBlock)
    assert (leftover.role, whole.role) == ("leftover", "definition")


@pytest.mark.parametrize(
    ("written", "symbol"),
    [
        ("&'a b::B<u8>", "B"),
        ("[u8;  4]", "[u8; 4]"),
        ("dyn B + Send", "dyn B + Send"),
        ("(A, B)", "(A, B)"),
        ("u8", "u8"),
    ],
)
def test_the_type_of_an_impl_is_named_without_path_references_and_parameters(
    symbols: Lines, written: str, symbol: str
) -> None:
    source = f"impl T for {written} {{\n    fn f() {{}}\n}}\n"
    assert symbols("rust", source, path="lib.rs") == [f"method {symbol}::f"]


def test_definitions_of_every_kind_have_symbols(symbols: Lines) -> None:
    source = """\
pub struct P(pub u8);
union U { a: u8 }
enum E { A, B(u8), C { x: u8 } }
trait T { type I; const K: u8; fn a(&self); fn b(&self) {} }
type L<T> = Vec<T>;
pub const K: u8 = 1;
static S: u8 = 2;
const _: () = ();
macro_rules! m { () => {} }
extern "C" { fn c(x: u8) -> u8; }
mod inner { pub mod deep { pub fn f() { fn nested() {} } } }
"""
    assert symbols("rust", source, path="src/lib.rs") == [
        "struct P",
        "union U",
        "field U::a",
        "enum E",
        "member E::A",
        "member E::B",
        "member E::C",
        "field E::C::x",
        "interface T",
        "type T::I",
        "constant T::K",
        "method T::a",
        "method T::b",
        "type L",
        "constant K",
        "constant S",
        "macro m!",
        "function c",
        "namespace inner",
        "namespace inner::deep",
        "function inner::deep::f",
        "function inner::deep::f::nested",
    ]


def test_signatures_of_a_trait_with_comments_are_units_and_others_its_members(units: Lines) -> None:
    source = "trait T {\n    fn a(&self);\n    /// Doc.\n    fn b(&self);\n\n    fn c(&self) {\n    }\n}\n"
    assert units("rust", source, path="lib.rs") == ["1-2 T", "3-4 T::b", "6-8 T::c"]


@pytest.mark.parametrize(
    ("path", "symbol"),
    [
        ("src/lib.rs", "f"),
        ("src/main.rs", "f"),
        ("src/a/mod.rs", "a::f"),
        ("src/a/b.rs", "a::b::f"),
        ("crates/my-crate/src/a-b/c.rs", "a_b::c::f"),
        ("src/ripgrep/crates/core/src/args.rs", "args::f"),
        ("tests/it.rs", "tests::it::f"),
        ("모듈/my file.rs", "모듈::my_file::f"),
    ],
)
def test_symbols_begin_with_the_module_of_the_path(symbols: Lines, path: str, symbol: str) -> None:
    assert symbols("rust", "fn f() {}\n", path=path) == [f"function {symbol}"]


@pytest.mark.parametrize(
    ("source", "is_test"),
    [
        ("#[test]\nfn f() {}\n", True),
        ("#[should_panic]\n#[tokio::test(flavor = 'x')]\n// Remark.\nasync fn f() {}\n", True),
        ("#[cfg(test)]\nmod tests {\n    fn helper() {}\n}\n", True),
        ("#[cfg(all(test, unix))]\nmod tests {\n    fn helper() {}\n}\n", True),
        ("#[cfg(not(test))]\nfn f() {}\n", False),
        ("#[cfg(unix)]\nfn test() {}\n", False),
    ],
)
def test_tests_are_told_by_their_attributes(
    read: Callable[..., CanonicalDocument], source: str, is_test: bool
) -> None:
    roles = {block.role for block in read("rust", source).blocks if isinstance(block, CodeBlock)}
    assert roles == {"test" if is_test else "definition"}


def test_a_signature_is_a_definition_without_its_body_in_one_line(
    read: Callable[..., CanonicalDocument],
) -> None:
    source = "pub(crate) fn f<T>(\n    a: T,\n) -> Result<T>\nwhere\n    T: X,\n{\n    a\n}\n\npub struct P(pub u8);\n"
    blocks = read("rust", source).blocks
    signatures = [
        s.signature for block in blocks if isinstance(block, CodeBlock) for s in block.symbols or ()
    ]
    assert signatures == ["pub(crate) fn f<T>( a: T, ) -> Result<T> where T: X,", "pub struct P(pub u8);"]


def test_a_macro_for_tests_makes_a_test_of_the_name_that_it_is_called_with(
    units: Lines, symbols: Lines
) -> None:
    source = "use x;\n\n// See #1.\nrgtest!(f1, |dir: Dir| {\n    x();\n});\n\nfn g() {}\n"
    assert units("rust", source, path="m.rs") == ["1-1 <top-level>", "3-6 m::f1", "8-8 m::g"]
    assert symbols("rust", source, path="m.rs") == ["function m::f1", "function m::g"]
