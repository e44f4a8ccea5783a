"""One ingest with vectors and four readers: `python -m bench.readers [--seconds 60] [--index lancedb]`, counts and exit code 1.

The ingest writes, edits, moves and removes notes without pause; the readers search by words, by meaning and by both.
An embedder without a model makes the vectors, so that the index changes as often as it can. Looked for: an error of a
reader, a hit that does not stand in the index, a commit that a later search misses, a vector that is missing or of a passage that is gone.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random

from kebab_app import App
from kebab_config import load_settings
from kebab_core import EmbeddingKind, KebabError, NotIndexedError, SearchMode, SearchQuery
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

READERS = 4
NOTES = 120
WORDS = [
    *["apple", "pear", "plum", "quince", "fig", "grape", "index", "vector"],
    *["사과", "배", "자두", "모과", "무화과", "포도", "색인", "벡터"],
]
MODES = (SearchMode.LEXICAL, SearchMode.VECTOR, SearchMode.HYBRID)


def open_app(home: Path, *, readonly: bool) -> App:
    config = home / "kebab.toml"
    loaded = load_settings(config_path=config, environ={"HOME": str(home)})
    return App(loaded, readonly=readonly, embedder=BagOfWordsEmbedder())


def write_note(home: Path, number: int, random: Random, *, mark: str = "") -> None:
    sections = [
        f"## {' '.join(random.choices(WORDS, k=3))}\n\n{' '.join(random.choices(WORDS, k=60))}\n"
        for _ in range(4)
    ]
    path = home / "notes" / f"folder {number % 7}" / f"{number}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join([f"# Note {number} {mark}\n", *sections]), encoding="utf-8")


def read(
    home: Path, seed: int, stop: Event, told: multiprocessing.Queue[tuple[Counter[str], list[str]]]
) -> None:
    random, counts, faults = Random(seed), Counter[str](), list[str]()  # noqa: S311 - which query comes next is no secret
    with open_app(home, readonly=True) as app:
        while not stop.is_set():
            mode, text = random.choice(MODES), " ".join(random.choices(WORDS, k=3))
            try:
                with app.base.open_for_reading().one_state():
                    hits = app.search(SearchQuery(text=text, mode=mode, k=20)).hits
                    stored = len(app.base.index.documents.get_chunks([hit.chunk_id for hit in hits]))
            except NotIndexedError:
                counts[f"{mode} not indexed yet"] += 1
                continue
            except KebabError as error:
                faults.append(f"{mode}: {error.code}: {error.message}")
                continue
            counts[mode] += 1
            if stored != len(hits):
                faults.append(f"{mode}: {len(hits) - stored} hits are gone")
    told.put((counts, faults))


def write(home: Path, seconds: float) -> tuple[int, list[str]]:
    random, faults, rounds = Random(1), list[str](), 0  # noqa: S311 - nor which note
    until = time.monotonic() + seconds
    with open_app(home, readonly=False) as app:
        while time.monotonic() < until:
            rounds += 1
            mark = f"mark{rounds}q"
            for number in random.sample(range(NOTES), 12):
                write_note(home, number, random)
            write_note(home, rounds % NOTES, random, mark=mark)
            gone = random.choice(sorted((home / "notes").rglob("*.md")))
            if gone.name != f"{rounds % NOTES}.md":
                gone.unlink()
            app.ingest()
            titles = {hit.doc_path for hit in app.search(SearchQuery(text=mark, k=20)).hits}
            if not any(path.endswith(f"/{rounds % NOTES}.md") for path in titles):
                faults.append(f"round {rounds}: a search misses what was just committed")
            faults += [f"round {rounds}: {fault}" for fault in find_unequal(app)]
        faults += [f"doctor: {check.name}: {check.detail}" for check in app.doctor().checks if not check.ok]
    return rounds, faults


def find_unequal(app: App) -> list[str]:
    with app.base.open_for_reading().snapshot() as connection:
        chunks = {chunk_id for (chunk_id,) in connection.execute("SELECT chunk_id FROM chunks")}
    embedder = BagOfWordsEmbedder()
    query = embedder.embed([WORDS[0]], EmbeddingKind.QUERY)
    hits = app.base.vectors.search(embedder.identity, query, limit=2 * len(chunks) + 1)
    stored = {str(hit.chunk_id) for hit in hits}
    return (
        []
        if stored == chunks
        else [f"{len(chunks - stored)} vectors missing, {len(stored - chunks)} too many"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--index", default="auto", help="`storage.vector_index`")
    options = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "kebab.toml").write_text(
            f'[workspace]\nroot = "notes"\n[storage]\ndata_dir = "data"\nvector_index = "{options.index}"\n',
            encoding="utf-8",
        )
        for number in range(NOTES):
            write_note(home, number, Random(number))  # noqa: S311
        with open_app(home, readonly=False) as app:
            app.ingest()
        stop, told = context.Event(), context.Queue()
        readers = [context.Process(target=read, args=(home, seed, stop, told)) for seed in range(READERS)]
        for reader in readers:
            reader.start()
        rounds, faults = write(home, options.seconds)
        stop.set()
        counts = Counter[str]()
        for _ in readers:
            some, found = told.get(timeout=60)
            counts += some
            faults += found
        for reader in readers:
            reader.join()
    print(json.dumps({"ingests": rounds, "searches": dict(counts), "faults": len(faults)}))
    for fault, times in Counter(faults).most_common(20):
        print(f"{times} × {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
