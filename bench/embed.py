"""Embedding on this machine: its share of the core's matrix-product rate, against fastembed, on two threads, in memory."""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kebab_config import read_environment
from kebab_core import Embedder, EmbeddingKind, EmbeddingSettings, Remedy
from kebab_embed_local import build_embedder

LAYERS, HIDDEN, INNER = 12, 384, 1536
"""Shape of multilingual-e5-small, of which the multiplications are counted."""
SHORTEST, LONGEST = 40, 1200
"""Characters of a passage."""
ROUNDS = 3


def read_passages(files: Sequence[Path], count: int) -> list[str]:
    """Return passages of all lengths from Markdown files, or `text` of JSON lines; the same ones in every run."""
    chosen = random.Random(0)  # noqa: S311 - the same sample in every run
    texts = [text for file in files for text in _texts(file) if text.strip()]
    sample = [chosen.choice(texts) for _ in range(count)]
    return [text[: chosen.randint(SHORTEST, LONGEST)] for text in sample]


def _texts(file: Path) -> Iterator[str]:
    content = file.read_text("utf-8")
    if file.suffix == ".jsonl":
        yield from (json.loads(line)["text"] for line in content.splitlines())
    else:
        yield from (content[start : start + LONGEST] for start in range(0, len(content), LONGEST))


def cpu_s(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def matrix_rate() -> float:
    """Return the best float32 multiplications and additions a CPU second, in 10^9, of numpy on one thread."""
    import numpy as np

    left = np.random.default_rng(0).standard_normal((1024, 1024), dtype=np.float32)
    right = left.T.copy()
    left @ right
    return max(
        10 * 2 * 1024**3 / cpu_s(lambda: [left @ right for _ in range(10)]) / 1e9 for _ in range(ROUNDS)
    )


def work(tokens: Sequence[int]) -> float:
    """Return the multiplications and additions, in 10^9, that passages of so many tokens need."""
    linear = 2 * (4 * HIDDEN**2 + 2 * HIDDEN * INNER)
    return sum(LAYERS * (linear * n + 4 * HIDDEN * n * n) for n in tokens) / 1e9


def weights() -> Path:
    from kebab_model_e5_small import files

    folder = files()
    if folder is None:
        raise SystemExit(
            "kebab-model-e5-small is installed without weights here: there is nothing to measure"
        )
    return folder


def bundled(*, threads: int, precision: str = "auto") -> Embedder:
    settings = {"provider": "bundled", "threads": threads, "precision": precision}
    return built(EmbeddingSettings.model_validate(settings), bundled=weights())


def built(settings: EmbeddingSettings, *, bundled: Path | None = None) -> Embedder:
    embedder = build_embedder(settings, models_dir=Path(), bundled=bundled)
    if embedder is None:
        raise SystemExit(f"{settings.provider} is no model to measure")
    return embedder


def in_folder(folder: Path) -> Embedder:
    return built(EmbeddingSettings(provider="onnx", model=str(folder.resolve()), threads=1))


def best(embedder: Embedder, passages: Sequence[str], *, rounds: int = ROUNDS) -> float:
    embedder.embed(passages[:1], EmbeddingKind.DOCUMENT)
    return min(cpu_s(lambda: embedder.embed(passages, EmbeddingKind.DOCUMENT)) for _ in range(rounds))


def measure_rate(passages: Sequence[str]) -> None:
    from kebab_embed_local import UnigramTokenizer

    tokenizer = UnigramTokenizer(weights() / "tokenizer.bin", remedy=Remedy(kind="reinstall_model"))
    tokens = [len(ids) + 2 for ids in tokenizer.encode([f"passage: {text}" for text in passages])]
    limit = matrix_rate()
    seconds = best(bundled(threads=1, precision="fp32"), passages)
    rate = work(tokens) / seconds
    limit = max(limit, matrix_rate())
    print(
        f"passages {len(passages)}, tokens {sum(tokens)}, {len(passages) / seconds:.1f} passages a CPU second"
    )
    print(f"numpy {limit:.0f} GFLOP/s, embedding in fp32 {rate:.0f}: {rate / limit:.0%} of it (bound 70 %)")


def measure_fastembed(passages: Sequence[str], folder: Path) -> None:
    import numpy as np
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(
        model="bench/e5",
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(url="file://bench"),
        dim=HIDDEN,
        model_file="model.onnx",
    )
    theirs = TextEmbedding("bench/e5", specific_model_path=str(folder), threads=1)
    told = [f"passage: {text}" for text in passages]
    ours = in_folder(folder)
    first = np.asarray(ours.embed(passages, EmbeddingKind.DOCUMENT))
    cosine = float((first * np.array(list(theirs.embed(told)))).sum(axis=1).min())
    pairs = [(cpu_s(lambda: list(theirs.embed(told))), best(ours, passages, rounds=1)) for _ in range(ROUNDS)]
    print(
        f"fastembed {min(a for a, _ in pairs):.1f} CPU s, kebab {min(b for _, b in pairs):.1f}, the same file"
    )
    print(
        f"fastembed / kebab {min(a for a, _ in pairs) / min(b for _, b in pairs):.2f} (bound 1.5), cosine {cosine:.5f}"
    )


def measure_threads(passages: Sequence[str]) -> None:
    figures: dict[int, tuple[float, float]] = {}
    for threads in (1, 2):
        embedder = bundled(threads=threads)
        embedder.embed(passages[:1], EmbeddingKind.DOCUMENT)
        started = time.perf_counter()
        cpu = cpu_s(lambda: embedder.embed(passages, EmbeddingKind.DOCUMENT))  # noqa: B023 - called at once
        figures[threads] = (time.perf_counter() - started, cpu)
    (wall1, cpu1), (wall2, cpu2) = figures[1], figures[2]
    print(
        f"two threads: {wall1 / wall2:.2f} times as fast by the clock, {cpu2 / cpu1:.2f} times the CPU time"
    )


def measure_memory(passages: Sequence[str], pages: int) -> None:
    embedder = bundled(threads=1)
    for done in range(0, pages, 100):
        batch = [passages[(done + at) % len(passages)] for at in range(min(100, pages - done))]
        embedder.embed(batch, EmbeddingKind.DOCUMENT)
        print(f"{done + len(batch)} pages: {resident_mb():.0f} MB, most {peak_mb():.0f}", flush=True)


def resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * resource.getpagesize() / 1e6


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def in_own_process(part: str, options: argparse.Namespace) -> None:
    """Run one part where numpy has been told to use one thread, and memory is its own."""
    environment = {**read_environment(), "OPENBLAS_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    arguments = [*map(str, options.files), "--passages", str(options.passages), "--pages", str(options.pages)]
    arguments += ["--fastembed", str(options.fastembed)] if options.fastembed else []
    subprocess.run([sys.executable, __file__, *arguments, "--part", part], env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="Markdown, or JSON lines with `text`")
    parser.add_argument("--passages", type=int, default=150)
    parser.add_argument(
        "--pages", type=int, default=0, help="pages that are embedded while memory is watched"
    )
    parser.add_argument("--fastembed", type=Path, help="folder of a model that fastembed can read")
    parser.add_argument("--part", choices=["rate", "fastembed", "threads", "memory"])
    options = parser.parse_args()
    parts: dict[str, Callable[[Sequence[str]], Any]] = {"rate": measure_rate, "threads": measure_threads}
    if options.fastembed:
        parts["fastembed"] = lambda passages: measure_fastembed(passages, options.fastembed)
    if options.pages:
        parts["memory"] = lambda passages: measure_memory(passages, options.pages)
    if options.part:
        parts[options.part](read_passages(options.files, options.passages))
        return
    for part in parts:
        in_own_process(part, options)


if __name__ == "__main__":
    main()
