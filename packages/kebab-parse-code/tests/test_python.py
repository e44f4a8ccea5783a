"""Constructs of Python."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeRole

Lines = Callable[..., list[str]]
PATH = "src/shop/cart.py"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(): pass", ["function shop.cart.f"]),
        ("async def f(): pass", ["function shop.cart.f"]),
        ("class A:\n    def f(self): pass", ["class shop.cart.A", "method shop.cart.A.f"]),
        (
            "class A:\n    x: int\n    y = 1",
            ["class shop.cart.A", "field shop.cart.A.x", "field shop.cart.A.y"],
        ),
        ("class A:\n    class B: pass", ["class shop.cart.A", "class shop.cart.A.B"]),
        ("def f():\n    def g(): pass", ["function shop.cart.f", "function shop.cart.f.g"]),
        ("LIMIT = 10", ["constant shop.cart.LIMIT"]),
        ("LIMIT: int = 10", ["constant shop.cart.LIMIT"]),
        ("LOW, HIGH = 1, 9", ["constant shop.cart.LOW", "constant shop.cart.HIGH"]),
        ("key = lambda item: item.price", ["constant shop.cart.key"]),
        ("if A:\n    X = 1\nelse:\n    Y = 2", ["constant shop.cart.X", "constant shop.cart.Y"]),
        ("try:\n    import a\nexcept E:\n    a = None", ["constant shop.cart.a"]),
        ("type Price = int", ["type shop.cart.Price"]),
        ("type Pair[T] = tuple[T, T]", ["type shop.cart.Pair"]),
        ("class A(str, enum.Enum):\n    X = 1", ["class shop.cart.A", "member shop.cart.A.X"]),
        ("class A(IntFlag):\n    X = 1", ["class shop.cart.A", "member shop.cart.A.X"]),
        ("if A:\n    def f(): pass", ["function shop.cart.f"]),
    ],
)
def test_a_construct_has_its_symbols(symbols: Lines, source: str, expected: list[str]) -> None:
    assert symbols("python", source, path=PATH) == expected


@pytest.mark.parametrize(
    "source", ["import a", "x.y = 1", "x[0] = 1", "_ = f()", "def f():\n    x = 1\n    self.y = 2"]
)
def test_what_names_nothing_of_the_module_has_no_symbol(symbols: Lines, source: str) -> None:
    assert [each for each in symbols("python", source, path=PATH) if not each.endswith(".f")] == []


def test_a_definition_has_its_comments_and_decorators(units: Lines) -> None:
    source = """\
import functools

# Of all items.
@functools.cache
@traced(
    "total",
)
def total(items):
    \"\"\"Add the prices.\"\"\"
    return sum(items)
"""
    assert units("python", source, path=PATH) == ["1-1 <top-level>", "3-10 shop.cart.total"]


def test_methods_of_a_class_are_units_and_its_other_lines_are_its_own(units: Lines) -> None:
    source = """\
class Cart:
    \"\"\"Items.\"\"\"

    limit = 10

    @property
    def size(self): return 1

    @size.setter
    def size(self, value): ...

    rest = 2
"""
    assert units("python", source, path=PATH) == [
        "1-4 shop.cart.Cart",
        "6-7 shop.cart.Cart.size",
        "9-10 shop.cart.Cart.size",
        "12-12 shop.cart.Cart",
    ]


@pytest.mark.parametrize(
    ("path", "prefix"),
    [
        ("src/shop/__init__.py", "shop"),
        ("lib/shop/a.py", "shop.a"),
        ("my app/1-a.py", "my_app.1_a"),
        ("shop/__main__.py", "shop"),
    ],
)
def test_the_prefix_is_the_module(symbols: Lines, path: str, prefix: str) -> None:
    assert symbols("python", "def f(): pass", path=path) == [f"function {prefix}.f"]


def test_functions_and_classes_named_like_tests_are_tests(read: Callable[..., CanonicalDocument]) -> None:
    document = read("python", "def test_a(): pass\n\n\ndef total(): pass\n", path=PATH)
    roles = [block.role for block in document.blocks if isinstance(block, CodeBlock)]
    assert roles == [CodeRole.TEST, CodeRole.DEFINITION]
