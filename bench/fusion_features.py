"""Features of hybrid candidates of judged sets, written once, and the order, score and evidence that they give.

`collect` keeps a base for each set in a folder, asks its queries, and with them some of the other sets as topics that are not
there, and writes a line for each query: its candidates with all features. `report` reads such files: nDCG@10 and hit@1 of
words, meaning and both; the score fitted on the other sets, with its calibration; queries that end without a hit.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import hash_bytes
from kebab_eval import measure_ranking, open_retrieval_set, read_passages
from kebab_search import (
    LexicalSearch,
    VectorSearch,
    chance_z_score,
    decode_centroids,
    is_bound,
    merge_candidates,
    parse_query,
)

CUT, BINS = 10, 15
OTHER_SCRIPT = 2.5
FEW = 200
"""Passages that say half as much as many do, as in `kebab_search.score`."""
LEAST = -1.5
LIKELY = 0.0
LEAST_COMPARED = 1.0
PER_SET = 25
"""Queries of each other set that are asked as absent topics."""
FIELDS = ("doc", "lexical", "above_chance", "share", "name", "heading", "is_cross")
CONFIG = "schema_version = 1\n[workspace]\nroot = {root}\n[storage]\ndata_dir = {data}\n"


def open_set_app(folder: Path, home: Path) -> tuple[App, dict[str, str]]:
    """Open the base of a set, made if it is not there yet, and the ids of its documents by path."""
    root, config = home / "documents", home / "kebab.toml"
    passages = {f"{hash_bytes(one.doc_id.encode())[:16]}.txt": one for one in read_passages(folder)}
    is_new = not config.is_file()
    if is_new:
        root.mkdir(parents=True)
        for name, one in passages.items():
            (root / name).write_text(f"{one.title}\n\n{one.text}".strip(), "utf-8")
        plain = CONFIG.format(root=json.dumps(str(root)), data=json.dumps(str(home / "data")))
        config.write_text(plain, "utf-8")
    app = App(load_settings(config_path=config, environ=read_environment()))
    if is_new:
        app.ingest()
    return app, {name: one.doc_id for name, one in passages.items()}


def collect(options: argparse.Namespace) -> None:
    """Write the features of each set."""
    sets = {folder.name: open_retrieval_set(folder) for folder in options.sets}
    for name, judged in sets.items():
        asked = [(query.text, dict(query.grades)) for query in judged.queries[: options.limit]]
        for other in sorted(sets.keys() - {name, *options.near.get(name, ())}):
            asked += [(query.text, {}) for query in sets[other].queries[:PER_SET]]
        app, ids = open_set_app(judged.folder, options.folder / name)
        with app, (options.folder / f"{name}.jsonl").open("w", encoding="utf-8") as file:
            for text, grades in asked:
                file.write(json.dumps(features(app, text, ids, grades)) + "\n")
        print(f"{name}: {len(asked)} queries", flush=True)


def features(app: App, text: str, ids: dict[str, str], grades: dict[str, int]) -> dict[str, Any]:
    """Search by both legs and list the candidates as rows of `FIELDS`.

    Raises:
        SystemExit: There is no embedding model.
    """
    base = app.base
    embedder = base.embedder
    if embedder is None:
        raise SystemExit("models.embedding.provider is none: there is nothing to measure")
    lexical = LexicalSearch(index=base.index.terms, documents=base.index.documents, analyzer=base.analyzer)
    centroids = decode_centroids(base.index.embeddings.query_centroids(embedder.identity) or b"")
    vectors = VectorSearch(embedder=embedder, store=base.vectors, centroids=centroids)
    analysis = lexical.analyze(parse_query(text))
    query = vectors.embed_query(analysis.parsed.embedding_text)
    merged = merge_candidates(
        analysis,
        query,
        lexical.find(analysis, None, places=CUT),
        vectors=vectors,
        documents=base.index.documents,
        within=None,
        places=CUT,
    )
    rows = [
        (
            ids[one.passage.document.doc_path],
            one.score,
            one.above_chance,
            one.share,
            one.name,
            one.heading,
            one.is_cross_script,
        )
        for one in merged
    ]
    chance, passages = chance_z_score(analysis.corpus_size), analysis.corpus_size
    in_script = query.script_share * passages
    return {
        "grades": grades,
        "rows": rows,
        "unknown": chance * (1 - analysis.weighted.known_share) * passages / (passages + FEW),
        "of_other_script": in_script / (in_script + FEW),
        "script_share": query.script_share,
        "is_bound": is_bound(analysis.parsed),
        "text": text,
    }


class Query:
    """One query of a file, with its candidates as arrays."""

    def __init__(self, line: str) -> None:
        read = json.loads(line)
        columns = list(zip(*read["rows"], strict=True)) or [()] * len(FIELDS)
        self.docs: tuple[str, ...] = tuple(columns[0])
        self.lexical, self.above_chance, self.share, self.name, self.heading, self.is_cross = map(
            np.array, columns[1:]
        )
        self.grades: dict[str, int] = read["grades"]
        share = read["script_share"]
        self.against = read["unknown"] * np.where(self.is_cross, share, 1.0)
        other = np.where(self.is_cross, OTHER_SCRIPT * read["of_other_script"], 0.0)
        self.against += other * (1 - self.share)
        cross = self.is_cross.astype(bool)
        highest = self.above_chance[~cross].max(initial=LEAST_COMPARED)
        is_found_by_words = cross.all() or (self.share >= 1).any()
        if re.search("[A-Za-z]", read["text"]):
            is_found_by_words |= (self.share[cross] > 0).any()
        excess = np.where(
            cross & (not is_found_by_words), np.clip(self.above_chance - highest, 0.0, 1.0), 0.0
        )
        need = np.maximum(0.0, 1 - self.share - excess)
        self.of_excess = other * (1 - self.share - need) + excess  # 1 is the weight of BM25
        self.bm25 = self.lexical / max(self.lexical.max(initial=0.0), 1e-9)
        self.is_bound: bool = read["is_bound"]

    def evidence(self, share: float, name: float) -> np.ndarray:
        """Evidence of each candidate."""
        names = np.maximum(name * self.name**2, share * self.heading**2)
        return self.above_chance + share * self.share + names - self.against  # type: ignore[no-any-return]

    def order(self, share: float, name: float, bm25: float) -> np.ndarray:
        """Evidence with what BM25 and the excess z-score of passages in another script add to the order."""
        return self.evidence(share, name) + bm25 * self.bm25 + self.of_excess  # type: ignore[no-any-return]

    def ranked(self, values: np.ndarray) -> list[int]:
        """Best candidate of each of the first documents."""
        first: dict[str, int] = {}
        for at in np.argsort(-values, kind="stable"):
            first.setdefault(self.docs[at], int(at))
        return list(first.values())[:CUT]

    def ndcg(self, values: np.ndarray) -> tuple[float, float]:
        """nDCG@10 and hit@1 of an order."""
        docs = [self.docs[at] for at in self.ranked(values)]
        return measure_ranking(docs, self.grades).ndcg_at_10, float(self.grades.get((docs or [""])[0], 0) > 0)


def fit(values: np.ndarray, right: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Fit slope and intercept of a logistic curve by Newton's method."""
    matrix, found = np.stack([values, np.ones_like(values)], axis=1), np.zeros(2)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-matrix @ found))
        slope = matrix.T @ (weights * (right - chance))
        curve = (matrix * (weights * chance * (1 - chance))[:, None]).T @ matrix
        found = found + np.linalg.solve(curve + 1e-9 * np.eye(2), slope)
    return found


def judged_values(
    queries: Sequence[Query], share: float, name: float, bm25: float
) -> tuple[np.ndarray, np.ndarray]:
    """Evidence less the distance to the best, and whether it is right, of the first ten documents of each query."""
    values, right = [], []
    for query in queries:
        evidence = query.order(share, name, bm25)
        for at in query.ranked(evidence):
            values.append(2 * evidence[at] - evidence.max())
            right.append(float(query.grades.get(query.docs[at], 0) > 0))
    return np.array(values), np.array(right)


def calibration_error(scores: np.ndarray, right: np.ndarray) -> float:
    """Calibration error in bins of equal mass."""
    bins = np.array_split(np.argsort(scores), BINS)
    return float(
        sum(abs(scores[each].mean() - right[each].mean()) * len(each) for each in bins) / len(scores)
    )


def report(options: argparse.Namespace) -> None:
    """Print the figures of all files."""
    every = {file.stem: [Query(line) for line in file.open(encoding="utf-8")] for file in options.files}
    judged = {name: [one for one in queries if one.grades and one.docs] for name, queries in every.items()}
    for name, queries in judged.items():
        orders = {
            "words": lambda one: one.lexical,
            "meaning": lambda one: one.above_chance,
            "both": lambda one: one.order(options.share, options.name, options.bm25),
        }
        shown = []
        for label, order in orders.items():
            ndcg, first = np.mean([one.ndcg(order(one)) for one in queries], axis=0)
            shown.append(f"{label} {ndcg:.3f} ({first:.2f})")
        print(f"{name}: {', '.join(shown)}; {', '.join(empty_shares(every[name], options))}")
    pooled: list[tuple[np.ndarray, np.ndarray]] = []
    pairs = {
        name: judged_values(queries, options.share, options.name, options.bm25)
        for name, queries in judged.items()
    }
    for name, (values, right) in pairs.items():
        others = [pair for other, pair in pairs.items() if other != name and other[:4] != name[:4]]
        weights = np.concatenate([np.full(len(given), 1e3 / len(given)) for given, _ in others])
        known, labels = (np.concatenate(columns) for columns in zip(*others, strict=True))
        slope, intercept = fit(known, labels, weights)
        scores = 1 / (1 + np.exp(-(slope * values + intercept)))
        pooled.append((scores, right))
        error, brier = calibration_error(scores, right), float(np.mean((scores - right) ** 2))
        print(
            f"{name}: steepness {slope:.2f}, middle {-intercept / slope:.2f}, error {error:.3f}, Brier {brier:.4f}"
        )
    scores, right = (np.concatenate(columns) for columns in zip(*pooled, strict=True))
    print(
        f"all: calibration error {calibration_error(scores, right):.3f}, Brier {np.mean((scores - right) ** 2):.4f}"
    )


def empty_shares(queries: Sequence[Query], options: argparse.Namespace) -> list[str]:
    """Shares of absent topics and of judged queries without a hit, and without a likely one."""
    shares = []
    for label, are_judged in (("absent", False), ("judged", True)):
        asked = [one for one in queries if bool(one.grades) is are_judged and one.docs and not one.is_bound]
        best = [
            np.inf if one.share.max() >= 1 else one.evidence(options.share, options.name).max()
            for one in asked
        ]
        if best:
            none, unlikely = (np.mean(np.array(best) < bound) for bound in (LEAST, LIKELY))
            shares.append(f"{label} without a hit {none:.3f}, without a likely one {unlikely:.3f}")
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("collect")
    first.add_argument("folder", type=Path, help="of the bases and the files")
    first.add_argument(
        "sets", type=Path, nargs="+", help="folders in the layout of BEIR with their own documents"
    )
    first.add_argument("--limit", type=int, help="queries of each set")
    first.add_argument(
        "--near",
        type=json.loads,
        default={},
        help="JSON: by set, those whose queries its documents might answer",
    )
    first.set_defaults(run=collect)
    second = commands.add_parser("report")
    second.add_argument("files", type=Path, nargs="+")
    second.add_argument("--share", type=float, default=3.0)
    second.add_argument("--bm25", type=float, default=1.0)
    second.add_argument("--name", type=float, default=5.0)
    second.set_defaults(run=report)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
