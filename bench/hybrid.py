"""Warm and cold hybrid queries over a knowledge base: CPU time of the whole and of each part, and against `import lancedb`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kebab_app import App
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import Embedder, EmbeddingIdentity, EmbeddingKind, SearchMode, SearchQuery, VectorMatrix

from bench.cold_start import KEBAB, LANCEDB, compare
from bench.search import percentile, read_queries

COLD_RUNS = 7
SUBJECTS = 200
PARTS = ("lexical_ms", "vector_ms", "fusion_ms")


@dataclass
class SyntheticEmbedder:
    """Vectors near one of a few hundred random subjects, under the name of the model whose queries are to be measured."""

    identity: EmbeddingIdentity

    def __post_init__(self) -> None:
        import numpy as np

        self._chance = np.random.default_rng(0)
        self._subjects = self._chance.standard_normal((SUBJECTS, self.identity.dimensions))
        self._common = self._chance.standard_normal(self.identity.dimensions) * 2

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return a vector for each text; not the same for the same text."""
        import numpy as np

        del kind
        chosen = self._chance.integers(0, SUBJECTS, len(texts))
        noise = self._chance.standard_normal((len(texts), self.identity.dimensions))
        vectors = self._common + self._subjects[chosen] + noise
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return memoryview(np.ascontiguousarray(vectors, dtype=np.float32))


def fill(config: Path, embedder: Embedder) -> None:
    """Give every passage that waits for a vector a synthetic one."""
    loaded = load_settings(config_path=config, environ=read_environment())
    with App(loaded, embedder=SyntheticEmbedder(embedder.identity)) as app:
        app.embed()


def measure_warm(app: App, queries: Sequence[str]) -> None:
    """Print CPU milliseconds of hybrid queries, of lexical ones for comparison, and the shares of the parts."""
    spent: dict[SearchMode, list[float]] = {mode: [] for mode in (SearchMode.HYBRID, SearchMode.LEXICAL)}
    shares = dict.fromkeys(PARTS, 0)
    total = 0
    for mode in (*spent, *spent):
        values = []
        for text in queries:
            started = time.process_time()
            found = app.search(SearchQuery(text=text, mode=mode, k=10, trace=mode is SearchMode.HYBRID))
            values.append((time.process_time() - started) * 1000)
            if found.trace is not None:
                total += found.trace.timing.total_ms
                for part in PARTS:
                    shares[part] += getattr(found.trace.timing, part)
        spent[mode] = values
    for mode, values in spent.items():
        print(f"{mode:8} p50 {percentile(values, 0.5):5.1f} ms, p95 {percentile(values, 0.95):5.1f} ms CPU")
    known = ", ".join(f"{part.removesuffix('_ms')} {share / total:.0%}" for part, share in shares.items())
    print(f"shares   {known}, rest {1 - sum(shares.values()) / total:.0%} (of wall time)")


def measure_cold(config: Path, query: str) -> None:
    """Print what a fresh `kebab search` takes as a ratio to importing lancedb, in turn."""
    search = [*KEBAB, "--config", str(config), "search", query]
    compare({"cold, to `import lancedb`": search}, against=LANCEDB, runs=COLD_RUNS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", type=Path, help="`kebab.toml` of a knowledge base that has been ingested")
    parser.add_argument("queries", type=Path, nargs="+", help="files of lines with a `text`")
    parser.add_argument("--limit", type=int, default=100, help="how many queries")
    parser.add_argument("--fill", action="store_true", help="first make vectors up for passages without one")
    options = parser.parse_args()
    lighten_libraries()  # as every command does, before numpy is loaded
    queries = read_queries(options.queries, limit=options.limit)
    loaded = load_settings(config_path=options.config, environ=read_environment())
    with App(loaded) as app:
        embedder = app.base.embedder
        if embedder is None:
            raise SystemExit("models.embedding.provider is none: there is nothing to measure")
    if options.fill:
        fill(options.config, embedder)
    with App(loaded) as app:
        held = app.base.index.embeddings.counts(embedder.identity).committed
        print(f"vectors  {held}, {len(queries)} queries")
        measure_warm(app, queries)
    measure_cold(options.config, queries[0])


if __name__ == "__main__":
    main()
