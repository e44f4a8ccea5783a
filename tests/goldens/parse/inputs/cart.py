"""Carts of a shop."""

import math

TAX = 0.1


class Cart:
    """장바구니."""

    size: int = 0

    def add(self, item: str) -> None:
        """Add an item."""

        def inner() -> None: ...

        self.size += 1

    # All prices.
    @property
    def total(self) -> float:
        return math.fsum([1, 2]) * (1 + TAX)


def test_total():
    assert Cart().total > 0
