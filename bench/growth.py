"""Growth of cost: ingest, a run over unchanged files, one new file, and searches at growing numbers of passages.

Vectors are random numbers that depend on the text, so that the model costs nothing and all else costs what it costs.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import statistics
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from kebab_app import App
from kebab_config import load_settings
from kebab_core import (
    DocFilter,
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingModelId,
    EmbeddingVersion,
    SearchMode,
    SearchQuery,
    VectorMatrix,
)

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)
REPEATS = 5
QUERIES = ("compiler warning", "how to link a static library", "template argument deduction", "pointer")


class RandomEmbedder:
    """An `Embedder` that draws the vector of a text from its checksum."""

    identity = EmbeddingIdentity(
        model_id=EmbeddingModelId("random"), model_version=EmbeddingVersion("v1+000000000000"), dimensions=384
    )

    def embed(self, texts: Sequence[str], _kind: EmbeddingKind) -> VectorMatrix:
        """Return unit vectors, one a text."""
        drawn = np.stack([
            np.random.default_rng(zlib.crc32(text.encode())).normal(size=384) for text in texts
        ])
        return memoryview((drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32))


def cpu_s(run: Callable[[], object]) -> float:
    """Return the CPU time of a call, that of worker processes which it ends included."""

    def used() -> float:
        return sum(
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )

    started = used()
    run()
    return used() - started


def median_ms(run: Callable[[], object]) -> float:
    """Return the median CPU time of repeated calls."""
    return 1000 * statistics.median(cpu_s(run) for _ in range(REPEATS))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="folders of Markdown files")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of passages")
    options = parser.parse_args()
    files = sorted(path for folder in options.folders for path in folder.rglob("*.md"))
    with tempfile.TemporaryDirectory() as scratch:
        measure(files, Path(scratch), sizes=options.sizes)


def measure(files: Sequence[Path], folder: Path, *, sizes: Sequence[int]) -> None:
    """Add files until each number of passages is reached, and print a line for it."""
    root, config = folder / "root", folder / "kebab.toml"
    root.mkdir()
    config.write_text(f'[workspace]\nroot = "{root}"\n[storage]\ndata_dir = "{folder / "data"}"\n', "utf-8")
    loaded = load_settings(config_path=config, environ={"HOME": str(folder)})
    print("passages    files   added: ms/file   no-op: µs/file   one file: ms   search: words ms   both ms")
    copied = passages = 0
    for size in sizes:
        first, started = copied, time.monotonic()
        rate = passages / copied if copied else 5.0
        while copied < len(files) and copied * rate < size:
            shutil.copyfile(files[copied], root / f"{copied:06} {files[copied].name}")
            copied += 1
        with App(loaded, embedder=RandomEmbedder()) as app:
            added = cpu_s(app.ingest) * 1000 / max(1, copied - first)
            passages = sum(document.chunk_count for document in app.list_documents(DocFilter()))
            no_op = median_ms(app.ingest) * 1000 / copied

            def add_one(app: App = app) -> None:
                (root / "new.md").write_text(f"# New\n\nA note of {time.monotonic_ns()}.\n", "utf-8")
                app.ingest()

            one = median_ms(add_one)
            by_words, by_both = (
                median_ms(lambda: [app.search(SearchQuery(text=text, mode=mode)) for text in QUERIES])  # noqa: B023
                / len(QUERIES)
                for mode in (SearchMode.LEXICAL, SearchMode.HYBRID)
            )
        print(
            f"{passages:8,} {copied:8,} {added:15.1f} {no_op:16.1f} {one:14.1f} {by_words:18.1f} {by_both:9.1f}"
            f"   ({time.monotonic() - started:.0f} s)",
            flush=True,
        )
        if copied == len(files):
            break


if __name__ == "__main__":
    main()
