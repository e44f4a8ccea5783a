"""Constructs of TypeScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument

Lines = Callable[..., list[str]]
PATH = "src/cart.ts"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("export interface I { a: string; m(x: number): void }", ["interface I", "field I.a", "method I.m"]),
        ("type T = { a: string };", ["type T", "field T.a"]),
        ("export const enum E { A, B = 2 }", ["enum E", "member E.A", "member E.B"]),
        (
            "namespace N.M { export const k = 1; function f() {} }",
            ["namespace N.M", "constant N.M.k", "function N.M.f"],
        ),
        ("declare module 'x' { function g(): void }", ["namespace x", "function x.g"]),
        (
            "declare global { interface Window { a: string } }",
            ["interface Window", "field Window.a"],
        ),
        ("declare function d(a: string): void;", ["function d"]),
        ("declare const VERSION: string;", ["constant VERSION"]),
        (
            "export abstract class Q<T> { abstract z(): void; private readonly y = () => 1; x?: number }",
            ["class Q", "method Q.z", "method Q.y", "field Q.x"],
        ),
        ("export const f = async <T,>(x: T): Promise<T> => x;", ["function f"]),
    ],
)
def test_a_construct_has_its_symbols(symbols: Lines, source: str, expected: list[str]) -> None:
    found = symbols("typescript", source, path=PATH)
    assert [line.replace("src/cart.", "") for line in found] == expected


def test_overloads_and_their_function_are_one_unit(units: Lines, symbols: Lines) -> None:
    source = """\
/** Sums. */
export function sum(a: string): string;
export function sum(a: number): number;
export function sum(a: any) {
  return a;
}
"""
    assert units("typescript", source, path=PATH) == ["1-6 src/cart.sum"]
    assert symbols("typescript", source, path=PATH) == ["function src/cart.sum"]


def test_a_signature_with_a_comment_is_a_unit_and_one_without_is_not(units: Lines) -> None:
    source = """\
export interface Store {
  open(): void;
  close(): void;

  /** Writes what is open. */
  flush(): void;
}
"""
    assert units("typescript", source, path=PATH) == ["1-3 src/cart.Store", "5-7 src/cart.Store.flush"]


def test_short_aliases_stay_together_and_a_long_one_is_a_unit(units: Lines) -> None:
    source = "type A = 1;\ntype B = 2;\n\ntype C = {\n  a: A;\n};\n"
    assert units("typescript", source, path=PATH) == ["1-2 <top-level>", "4-6 src/cart.C"]


def test_decorators_and_export_belong_to_the_definition(units: Lines) -> None:
    source = """\
@Injectable()
export class Cart {
  @Input()
  name = '';

  @Get('/total')
  total() {
    return 1;
  }
}
"""
    assert units("typescript", source, path=PATH) == ["1-4 src/cart.Cart", "6-10 src/cart.Cart.total"]


def test_markup_is_read_in_tsx_and_casts_in_ts(units: Lines) -> None:
    view = "export const Cart = (p: Props) => {\n  return <ul>{p.items}</ul>;\n};\n"
    cast = "export function f(x: unknown) {\n  return <string>x;\n}\n"
    assert units("typescript", view, path="src/Cart.tsx") == ["1-3 src/Cart.Cart"]
    assert units("typescript", cast, path="src/f.ts") == ["1-3 src/f.f"]


def test_a_declaration_file_is_named_as_the_file_that_it_declares(symbols: Lines) -> None:
    assert symbols("typescript", "export declare function f(): void;", path="lib/a.d.ts") == [
        "function lib/a.f"
    ]


def test_a_signature_is_one_line_without_the_body(read: Callable[..., CanonicalDocument]) -> None:
    source = (
        "export async function pay(\n  amount: number,\n  to: string,\n): Promise<void> {\n  return;\n}\n"
    )
    (block,) = read("typescript", source, path=PATH).blocks
    assert block.kind == "code"
    assert block.symbols is not None
    assert (
        block.symbols[0].signature
        == "export async function pay( amount: number, to: string, ): Promise<void>"
    )
