"""Roles of files by their paths."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kebab_core import CanonicalDocument, CodeBlock, CodeRole


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/cart.py", CodeRole.DEFINITION),
        ("tests/cart.py", CodeRole.TEST),
        ("shop/test_cart.py", CodeRole.TEST),
        ("shop/tests.py", CodeRole.TEST),
        ("test.js", CodeRole.TEST),
        ("src/cart_test.go", CodeRole.TEST),
        ("src/cart-test.cc", CodeRole.TEST),
        ("src/cart_unittest.cc", CodeRole.TEST),
        ("src/cart.spec.ts", CodeRole.TEST),
        ("src/CartTest.java", CodeRole.TEST),
        ("src/TestCart.java", CodeRole.TEST),
        ("src/CartTests.kt", CodeRole.TEST),
        ("src/jvmTest/kotlin/Cart.kt", CodeRole.TEST),
        ("src/Latest.java", CodeRole.DEFINITION),
        ("src/Contest.kt", CodeRole.DEFINITION),
        ("latest/cart.py", CodeRole.DEFINITION),
        ("src/Testimony.java", CodeRole.DEFINITION),
        ("src/attest.py", CodeRole.DEFINITION),
        ("examples/cart.py", CodeRole.EXAMPLE),
        ("docs_src/cart.py", CodeRole.EXAMPLE),
        ("vendor/test/cart.go", CodeRole.VENDORED),
        ("third_party/cart.c", CodeRole.VENDORED),
        ("third-party/cart.c", CodeRole.VENDORED),
        ("3rdparty/cart.c", CodeRole.VENDORED),
    ],
)
def test_a_path_tells_tests_examples_and_copies_of_other_projects(
    read: Callable[..., CanonicalDocument], path: str, role: CodeRole
) -> None:
    (block,) = read("python", "def total(): pass\n", path=path).blocks
    assert isinstance(block, CodeBlock)
    assert block.role is role
