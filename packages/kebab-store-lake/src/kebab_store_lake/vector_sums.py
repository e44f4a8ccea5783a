"""Sums of the vectors of each language, by which the cosines of any query with all of them are described.

Number, sum and products of some vectors give the mean and the deviation of their cosines, so that a search reads none of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from kebab_core import LanguageDistribution

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kebab_store_lake.tables import Row

_ROWS_AT_ONCE = 4096
COLUMNS = ("lang", "count", "sums", "products")


class VectorSums:
    """The sums of vectors of one model, by language.

    Args:
        dimensions: Of the vectors.
        rows: Of the table, as `rows` returns them.
    """

    def __init__(self, dimensions: int, rows: Iterable[Row] = ()) -> None:
        import numpy as np

        self._dimensions = dimensions
        self._sums: dict[str, tuple[int, NDArray[np.float64], NDArray[np.float64]]] = {}
        """Number, sum and products, shapes (d,) and (d, d)."""
        for row in rows:
            upper = np.zeros((dimensions, dimensions))
            upper[np.triu_indices(dimensions)] = np.frombuffer(row["products"])
            products = upper + upper.T - np.diag(upper.diagonal())
            self._sums[row["lang"]] = row["count"], np.frombuffer(row["sums"]), products

    @property
    def count(self) -> int:
        """The number of vectors."""
        return sum(count for count, _, _ in self._sums.values())

    def add(self, langs: Sequence[str], vectors: NDArray[np.floating], *, times: int = 1) -> None:
        """Add vectors of some languages, shape (n, d); -1 times removes them."""
        import numpy as np

        d = self._dimensions
        for lang in sorted(set(langs)):
            count, sums, products = self._sums.pop(lang, (0, np.zeros(d), np.zeros((d, d))))
            of_lang = vectors[np.array(langs) == lang]
            for start in range(0, len(of_lang), _ROWS_AT_ONCE):
                rows = of_lang[start : start + _ROWS_AT_ONCE].astype(np.float64)
                count += times * len(rows)
                sums = sums + times * rows.sum(axis=0)
                products = products + times * (rows.T @ rows)
            if count:
                self._sums[lang] = count, sums, products

    def rows(self) -> list[Row]:
        """Return the rows of the table."""
        import numpy as np

        upper = np.triu_indices(self._dimensions)
        return [
            {"lang": lang, "count": count, "sums": sums.tobytes(), "products": products[upper].tobytes()}
            for lang, (count, sums, products) in self._sums.items()
        ]

    def describe_cosines(self, query: NDArray[np.float32]) -> list[LanguageDistribution]:
        """Describe the cosines of a query, shape (d,), with all vectors, most vectors first, ties by language."""
        found = []
        for lang, (count, sums, products) in self._sums.items():
            mean = float(sums @ query) / count
            variance = float(query @ products @ query) / count - mean**2
            found.append(LanguageDistribution(lang, count, mean, math.sqrt(max(0.0, variance))))
        return sorted(found, key=lambda each: (-each.vectors, each.lang))
