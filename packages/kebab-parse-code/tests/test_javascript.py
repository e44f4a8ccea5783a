"""Constructs of JavaScript."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeRole

Lines = Callable[..., list[str]]
PATH = "src/cart.js"


@pytest.mark.parametrize(
    ("source", "symbol"),
    [
        ("function f() {}", "function src/cart.f"),
        ("function* f() {}", "function src/cart.f"),
        ("const f = async (x) => x;", "function src/cart.f"),
        ("let f = function g() {};", "function src/cart.f"),
        ("export const f = () => {};", "function src/cart.f"),
        ("exports.f = function () {};", "function src/cart.f"),
        ("module.exports.f = () => {};", "function src/cart.f"),
        ("module.exports = function () {};", "function src/cart.default"),
        ("module.exports = function f() {};", "function src/cart.f"),
        ("module.exports = { f() {} };", "method src/cart.f"),
        ("app.f = function () {};", "method src/cart.app.f"),
        ("X.prototype.f = function () {};", "method src/cart.X.f"),
        ("export default function () {}", "function src/cart.default"),
        ("export default function f() {}", "function src/cart.f"),
        ("export default () => 1;", "function src/cart.default"),
        ("export default class {}", "class src/cart.default"),
        ("export default class A {}", "class src/cart.A"),
        ("const A = class B {};", "class src/cart.A"),
        ("define(req, 'ip', function ip() {});", "function src/cart.ip"),
        ("const LIMIT = 10;", "constant src/cart.LIMIT"),
        ("export const LIMIT = 10;", "constant src/cart.LIMIT"),
    ],
)
def test_a_definition_has_the_name_that_it_is_bound_to(symbols: Lines, source: str, symbol: str) -> None:
    assert symbols("javascript", source, path=PATH)[-1] == symbol


@pytest.mark.parametrize(
    "source",
    [
        "const fs = require('fs');",
        "import a from 'a';",
        "f(function () {});",
        "x[k] = function () {};",
        "const {a, b} = c;",
        "({ [1 + k]: () => 1 });",
    ],
)
def test_what_has_no_name_of_its_own_is_no_definition(symbols: Lines, source: str) -> None:
    assert symbols("javascript", source, path=PATH) == []


def test_a_class_has_its_methods_fields_and_accessors(symbols: Lines) -> None:
    source = """\
class Cart extends Base {
  static #rate = 0.1;
  items = [];
  onChange = () => this.draw();
  constructor(a) { super(a); this.a = a; }
  get total() { return 1; }
  set total(x) {}
  async *[Symbol.iterator]() {}
  'quoted name'() {}
}
"""
    assert symbols("javascript", source, path=PATH) == [
        "class src/cart.Cart",
        "field src/cart.Cart.#rate",
        "field src/cart.Cart.items",
        "method src/cart.Cart.onChange",
        "method src/cart.Cart.constructor",
        "method src/cart.Cart.total",
        "method src/cart.Cart.total",
        "method src/cart.Cart.[Symbol.iterator]",
        "method src/cart.Cart.quoted name",
    ]


def test_an_object_with_functions_holds_units(units: Lines, symbols: Lines) -> None:
    source = """\
const routes = {
  limit: 1,

  home(req) {
    return 1;
  },

  about: (req) => {
    return 2;
  },
};
"""
    assert units("javascript", source, path=PATH) == [
        "1-2 src/cart.routes",
        "4-6 src/cart.routes.home",
        "8-11 src/cart.routes.about",
    ]
    assert symbols("javascript", source, path=PATH)[0] == "constant src/cart.routes"


def test_a_constant_of_several_lines_is_a_unit_and_one_of_one_line_is_not(units: Lines) -> None:
    source = "const a = 1;\nconst b = 2;\n\nconst table = [\n  1,\n  2,\n];\n"
    assert units("javascript", source, path=PATH) == ["1-2 <top-level>", "4-7 src/cart.table"]


def test_locals_of_a_function_are_no_symbols_but_functions_inside_are(symbols: Lines) -> None:
    source = "function f() {\n  const a = 1;\n  const g = () => a;\n  return g;\n}\n"
    assert symbols("javascript", source, path=PATH) == ["function src/cart.f", "function src/cart.f.g"]


def test_tests_have_their_titles_and_are_tests(read: Callable[..., CanonicalDocument]) -> None:
    source = """\
import { f } from './f';

describe('cart', () => {
  const one = 1;

  it('adds items', async () => {
    expect(f(one)).toBe(1);
  });

  test.each([1, 2])('counts %d', (n) => {
    expect(n).toBe(n);
  });
});
"""
    blocks = [block for block in read("javascript", source, path=PATH).blocks if isinstance(block, CodeBlock)]
    assert [(block.heading_path, block.role) for block in blocks] == [
        ((), CodeRole.LEFTOVER),
        (("cart", "adds items"), CodeRole.TEST),
        (("cart", "counts %d"), CodeRole.TEST),
    ]


def test_a_doc_comment_belongs_to_what_follows_a_blank_line_too(units: Lines) -> None:
    source = """\
'use strict';

/**
 * Starts the server.
 */

app.listen = function listen() {
  return 1;
};

// A remark of its own.

app.stop = function stop() {
  return 2;
};
"""
    assert units("javascript", source, path=PATH) == [
        "1-1 <top-level>",
        "3-9 src/cart.app.listen",
        "11-11 <top-level>",
        "13-15 src/cart.app.stop",
    ]


def test_markup_is_read(units: Lines) -> None:
    source = "export function Cart({ items }) {\n  return <ul>{items.map((i) => <li>{i}</li>)}</ul>;\n}\n"
    assert units("javascript", source, path="src/Cart.jsx") == ["1-3 src/Cart.Cart"]


@pytest.mark.parametrize("line", ["@@ broken ]]", "const = ;", "foo bar baz"])
def test_a_line_that_cannot_be_read_has_no_symbol_and_its_neighbours_stay(units: Lines, line: str) -> None:
    source = f"function f() {{\n  return 1;\n}}\n\n{line}\n\nfunction g() {{\n  return 2;\n}}\n"
    assert units("javascript", source, path=PATH) == ["1-3 src/cart.f", "5-5 None", "7-9 src/cart.g"]
