"""`kebab eval beir` with the bundled model in fp32 and int8: queries of either over passages of either, or of both."""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

Row = dict[str, Any]
RUNS = (("fp32", "fp32"), ("int8", "fp32"), ("int8", "int8"), ("int8", "mixed"))
"""Precision of queries and of passages; the first is what the others are compared with."""
MODES = ("vector", "hybrid")
CONFIG = """schema_version = 1
[storage]
data_dir = "data"
[models.embedding]
precision = "{precision}"
threads = 1
"""


def write_part(folder: Path, target: Path, *, queries: int, documents: int, corpus: Path | None) -> None:
    """Write a part of a judged set: a sample of queries, what is judged for them, and a sample of the other documents.

    Samples are those with the lowest hashes of their ids. Files of a corpus are sampled first, and only queries with a
    file among them are taken.

    Args:
        folder: The set.
        target: Folder to write.
        queries: Maximum number of queries.
        documents: Number of documents that are judged for none of them; files of a corpus in all.
        corpus: Folder of files that are the documents, at paths as the set names them.
    """
    target.mkdir(parents=True)
    heading, *lines = (folder / "qrels.tsv").read_text("utf-8").splitlines()
    judged = [line.split("\t") for line in lines]
    if corpus is not None:
        names = {str(path.relative_to(corpus)) for path in corpus.rglob("*.md")}
        taken = set(sample({document for _, document, _ in judged} & names, documents))
        for name in taken:
            (target / "files" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(corpus / name, target / "files" / name)
        judged = [row for row in judged if row[1] in taken]
    asked = set(sample({query for query, _, grade in judged if float(grade) > 0}, queries))
    judged = [row for row in judged if row[0] in asked]
    (target / "qrels.tsv").write_text("\n".join([heading, *map("\t".join, judged)]) + "\n", "utf-8")
    copy_lines(folder / "queries.jsonl", target / "queries.jsonl", lambda row: row["_id"] in asked)
    if corpus is None:
        kept = {document for _, document, _ in judged}
        ids = {json.loads(line)["_id"] for line in (folder / "corpus.jsonl").open(encoding="utf-8")}
        kept.update(sample(ids - kept, documents))
        copy_lines(folder / "corpus.jsonl", target / "corpus.jsonl", lambda row: row["_id"] in kept)


def sample(ids: Iterable[str], count: int) -> list[str]:
    """Return the ids with the lowest hashes."""
    return sorted(ids, key=lambda each: sha256(each.encode()).digest())[:count]


def copy_lines(source: Path, target: Path, is_wanted: Callable[[Row], bool]) -> None:
    """Copy the lines of a JSON Lines file that are wanted."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as copy:
        copy.writelines(line for line in lines if is_wanted(json.loads(line)))


def evaluate(part: Path, work: Path, *, precision: str, mode: str, compare: str | None) -> Row:
    """Run `kebab eval beir` over a part and return what it prints.

    Raises:
        SystemExit: It printed no result.
    """
    config = work / f"{precision}.toml"
    config.write_text(CONFIG.format(precision=precision), "utf-8")
    command = [
        Path(sys.executable).with_name("kebab"),
        "eval",
        "beir",
        part,
        "--mode",
        mode,
        "--config",
        config,
    ]
    command += ["--json", "--baseline", "none", "--quiet"]
    command += ["--corpus", part / "files"] if (part / "files").is_dir() else []
    command += ["--compare", compare] if compare else []
    found = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    try:
        row: Row = json.loads(found.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        raise SystemExit(f"{found.stdout}{found.stderr}") from None
    return row


def mix_vectors(target: Path, other: Path) -> None:
    """Replace every other vector of a database by that of another one."""
    with closing(sqlite3.connect(target)) as connection:
        connection.execute("ATTACH ? AS other", (str(other),))
        texts = [text for (text,) in connection.execute("SELECT text_hash FROM vectors ORDER BY text_hash")]
        with connection:
            connection.executemany(
                "UPDATE vectors SET vector = (SELECT o.vector FROM other.vectors o WHERE o.text_hash = ?1) WHERE text_hash = ?1",
                [(text,) for text in texts[::2]],
            )


def compare_set(part: Path, work: Path) -> None:
    """Print nDCG@10 of every run over one part, with the difference to fp32 and its 95 % interval."""
    cache = work / "data" / "cache" / "eval"
    stored = {precision: work / f"vectors-{precision}.sqlite" for precision in ("fp32", "int8", "mixed")}
    for precision in ("fp32", "int8"):
        if not stored[precision].exists():
            shutil.rmtree(cache, ignore_errors=True)
            evaluate(part, work, precision=precision, mode="vector", compare=None)
            put_database(cache / "kebab.sqlite", stored[precision])
    put_database(stored["fp32"], stored["mixed"])
    mix_vectors(stored["mixed"], stored["int8"])
    for mode in MODES:
        first = None
        for query, passage in RUNS:
            shutil.rmtree(cache, ignore_errors=True)
            cache.mkdir(parents=True)
            put_database(stored[passage], cache / "kebab.sqlite")
            give_precision(cache / "kebab.sqlite", query)
            row = evaluate(part, work, precision=query, mode=mode, compare=first)
            first = first or row["run_id"]
            report = {
                "set": part.name,
                "mode": mode,
                "queries": query,
                "passages": passage,
                "asked": row["queries"],
            }
            report |= {"documents": row["documents"], "ndcg_at_10": row["metrics"]["ndcg_at_10"]}
            report |= {"comparison": row.get("comparison")}
            print(json.dumps(report), flush=True)


def give_precision(database: Path, precision: str) -> None:
    """Store the vectors of a database under the identity of a precision, so that its queries search them."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(
            "UPDATE embedding_models SET model_version = replace(model_version, '-int8', '') || ?",
            ("-int8" if precision == "int8" else "",),
        )


def put_database(source: Path, target: Path) -> None:
    """Copy a database with what is still in its log."""
    with closing(sqlite3.connect(source)) as opened, closing(sqlite3.connect(target)) as copy:
        opened.backup(copy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", type=Path, help="folder of a judged set")
    parser.add_argument(
        "work", type=Path, help="folder for the part, the vectors and the runs; a second run goes on in it"
    )
    parser.add_argument("--queries", type=int, default=10**9)
    parser.add_argument("--documents", type=int, default=10**9)
    parser.add_argument("--corpus", type=Path)
    options = parser.parse_args()
    part = options.work / options.set.name
    if not part.exists():
        write_part(
            options.set, part, queries=options.queries, documents=options.documents, corpus=options.corpus
        )
    compare_set(part, options.work)


if __name__ == "__main__":
    main()
