r"""Verdicts on claims of chat models, right and wrong, against the lines that they cite (`bench/questions/claims`).

    python -m bench.claims --corpora FOLDER [--parts fit choose] [--words] [--list]

Every claim is judged as `kebab ask` judges it: over the passages that its question finds, with the sentences of the cited lines
named. `--words` judges without the embedder. Printed are the shares of right and of wrong claims that are shown, and shown as
supported.
"""

from __future__ import annotations

import argparse
import pickle
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from kebab_app import App
from kebab_config import load_settings
from kebab_core import (
    Chunk,
    Embedder,
    EmbeddingKind,
    EmbeddingSettings,
    LineCitation,
    LineSpan,
    Passage,
    SearchQuery,
    VectorMatrix,
    WorkspacePath,
)
from kebab_embed_local import build_embedder
from kebab_model_e5_small import files
from kebab_rag import ClaimChecker, NumberedEvidence, WrittenClaim, answer_language

from bench.question_sets import JudgedClaim, folder_of, read_claims

PASSAGES = 6
"""Passages beside the cited ones, as a search finds them."""
LEAST_LETTERS = 8
"""Letters that tell a line."""
CONFIG = """schema_version = 1
[storage]
data_dir = "data"
[[workspace.sources]]
id = "pages"
root = "{pages}"
[models.embedding]
provider = "none"
"""
"""Passages are found by words, so that nothing is embedded before a claim is judged."""


class Case(NamedTuple):
    """A claim with the passages that a model was given, and the numbers of the cited sentences."""

    claim: JudgedClaim
    passages: tuple[Passage, ...]
    numbers: tuple[int, ...]


def letters(text: str) -> str:
    """Return the letters and digits of a text."""
    return re.sub(r"<[^<>]*>|(?<=\])?\([^()\s]*\)|[\W_]", "", text).casefold()


def write_pages(claims: Sequence[JudgedClaim], corpora: Path, target: Path) -> None:
    """Copy the cited pages."""
    for place in {claim.cited for claim in claims}:
        page = target / place.corpus / place.path.lstrip("/")
        page.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder_of(place.corpus, corpora) / place.path.lstrip("/"), page)


def passages_of(app: App, claim: JudgedClaim, lines: Sequence[str]) -> Iterator[Passage]:
    """Yield the passages of the cited lines, then those that the question finds."""
    documents = app.base.index.documents
    path = WorkspacePath(f"{claim.cited.corpus}/{claim.cited.path.lstrip('/')}")
    (entry,) = documents.find_documents([("pages", path)])
    wanted = [letters(lines[at - 1]) for first, last in claim.cited.lines for at in range(first, last + 1)]
    cited = [chunk for chunk in documents.list_chunks(entry.doc_id) if _holds(chunk, claim, wanted)]
    found = app.search(SearchQuery(text=claim.question, k=PASSAGES, all_passages=True)).hits
    ids = dict.fromkeys([*(chunk.chunk_id for chunk in cited), *(hit.chunk_id for hit in found)])
    chunks = {each.chunk.chunk_id: each for each in documents.get_chunks(list(ids))}
    for marker, chunk_id in enumerate(ids, 1):
        item = chunks[chunk_id]
        yield Passage(
            marker=marker,
            chunk_id=chunk_id,
            citation=LineCitation(path=path, start=1, end=1),
            title=item.document.title,
            heading_path=item.chunk.heading_path,
            lang=item.document.lang,
            text=item.chunk.text,
        )


def _holds(chunk: Chunk, claim: JudgedClaim, wanted: Sequence[str]) -> bool:
    spans = [span for span in chunk.source_spans if isinstance(span, LineSpan)]
    if spans:
        return any(
            span.start <= last and first <= span.end for span in spans for first, last in claim.cited.lines
        )
    held = letters(chunk.text)
    return any(line in held for line in wanted if line)


def numbers_of(claim: JudgedClaim, passages: Sequence[Passage], lines: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the sentences of the cited lines, in the passages of the page.

    Lines are found by their letters: a passage has no markup.
    """
    ranges = [letters("\n".join(lines[first - 1 : last])) for first, last in claim.cited.lines]
    wanted = [letters(lines[at - 1]) for first, last in claim.cited.lines for at in range(first, last + 1)]
    numbers = []
    for each in NumberedEvidence(passages).sentences:
        before = len(letters(each.passage.text[: each.start]))
        held = letters(each.text)
        whole = letters(each.passage.text)
        places = [(at, at + len(line)) for line in wanted if line and (at := whole.find(line)) >= 0]
        shared = [min(end, before + len(held)) - max(start, before) for start, end in places]
        is_inside = len(held) >= LEAST_LETTERS and any(held in text for text in ranges)
        if is_inside or max(shared, default=0) >= min(LEAST_LETTERS, len(held)):
            numbers.append(each.number)
    return tuple(numbers)


def read_cases(corpora: Path, home: Path) -> tuple[list[Case], App]:
    """Index the cited pages and return all claims with their passages.

    Args:
        corpora: Folder of the corpora.
        home: Folder for the index, used again where it is there.
    """
    claims = read_claims()
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "kebab.toml").exists():
        write_pages(claims, corpora, home / "pages")
        (home / "kebab.toml").write_text(CONFIG.format(pages=home / "pages"), "utf-8")
    app = App(load_settings(config_path=home / "kebab.toml", environ={}))
    stored = home / "passages.pickle"
    lines_of = {
        claim.cited: (folder_of(claim.cited.corpus, corpora) / claim.cited.path.lstrip("/"))
        .read_text("utf-8", errors="replace")
        .splitlines()
        for claim in claims
    }
    if not stored.exists():
        app.ingest()
        found = [tuple(passages_of(app, claim, lines_of[claim.cited])) for claim in claims]
        stored.write_bytes(pickle.dumps(found))
    passages = pickle.loads(stored.read_bytes())  # noqa: S301  (own file)
    return [
        Case(claim, each, numbers_of(claim, each, lines_of[claim.cited]))
        for claim, each in zip(claims, passages, strict=True)
    ], app


class KeptVectors:
    """An embedder that keeps the vectors of every text in a file. Implements `Embedder`."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        self.identity = embedder.identity
        self._embedder, self._file, self._is_new = embedder, file, False
        self._kept: dict[tuple[str, str], Any] = pickle.loads(file.read_bytes()) if file.exists() else {}  # noqa: S301  (own file)

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> VectorMatrix:
        """Return one unit vector for each text, in order."""
        missing = [text for text in dict.fromkeys(texts) if (kind.value, text) not in self._kept]
        vectors = np.asarray(self._embedder.embed(missing, kind)) if missing else ()
        self._is_new |= bool(missing)
        self._kept |= {(kind.value, text): vector for text, vector in zip(missing, vectors, strict=True)}
        return cast("VectorMatrix", np.array([self._kept[kind.value, text] for text in texts]).data)

    def write(self) -> None:
        """Write the file if it lacks a vector."""
        if self._is_new:
            self._file.write_bytes(pickle.dumps(self._kept))


class Outcome(NamedTuple):
    """Verdict of a claim."""

    claim: JudgedClaim
    verdict: str
    """`supported`, `not_proven` or `left out`."""
    why: str


def checker_of(case: Case, app: App, embedder: Embedder | None) -> ClaimChecker:
    """Return the checker of the answer that a claim belongs to."""
    return ClaimChecker(
        question=case.claim.question,
        lang=answer_language(case.claim.question),
        evidence=NumberedEvidence(case.passages),
        analyzer=app.base.analyzer,
        embedder=embedder,
    )


def judge(case: Case, app: App, embedder: Embedder | None) -> Outcome:
    """Return the verdict on a claim."""
    checker = checker_of(case, app, embedder)
    found = checker.check(WrittenClaim(case.claim.text, case.numbers))
    is_shown = found.failed is None and bool(checker.find_answer([found]))
    return Outcome(
        case.claim,
        found.verdict.value if is_shown else "left out",
        f"{found.failed.value if found.failed else ''} {found.detail}",
    )


def count(outcomes: Sequence[Outcome], name_of: Callable[[JudgedClaim], str | None]) -> None:
    """Print a line of shares for each group of claims."""
    groups = defaultdict[str, list[Outcome]](list)
    for each in outcomes:
        if name := name_of(each.claim):
            groups[name].append(each)
    for name, group in sorted(groups.items()):
        cells = []
        for is_right in (True, False):
            verdicts = [each.verdict for each in group if each.claim.is_right is is_right]
            shown = sum(each != "left out" for each in verdicts)
            supported = verdicts.count("supported")
            cells.append(_share(shown, len(verdicts)) + " | " + _share(supported, len(verdicts)))
        print(f"| {name} | {cells[0]} | {cells[1]} |")


def _share(some: int, all_of: int) -> str:
    return f"{some}/{all_of} {some / all_of:.2f}" if all_of else "-"


def main() -> None:
    """Judge the claims and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--parts", nargs="+", default=["fit", "choose"], choices=["fit", "choose", "report"])
    parser.add_argument("--words", action="store_true", help="without the embedder")
    parser.add_argument("--keep", type=Path, help="folder for the index, used again where it is there")
    parser.add_argument(
        "--list", action="store_true", help="print each claim that is not judged as it should"
    )
    options = parser.parse_args()
    home = options.keep or Path(tempfile.mkdtemp(prefix="claims-"))
    cases, app = read_cases(options.corpora, home)
    model = build_embedder(EmbeddingSettings(), models_dir=home, bundled=files())
    assert model is not None  # noqa: S101  (the bundled one)
    embedder = KeptVectors(model, home / "vectors.pickle")
    with app:
        outcomes = [
            judge(case, app, None if options.words else embedder)
            for case in cases
            if case.claim.part in options.parts
        ]
    embedder.write()
    print("| claims | right shown | right supported | wrong shown | wrong supported |\n|---|---|---|---|---|")
    groups: Sequence[Callable[[JudgedClaim], str | None]] = (
        lambda _: "all",
        lambda claim: f"language {claim.language}",
        lambda claim: f"collection {claim.cited.corpus.partition('-')[0]}",
        lambda claim: f"manner {claim.manner}",
        lambda claim: claim.wrong and f"wrong {claim.wrong}",
    )
    for name_of in groups:
        count(outcomes, name_of)
    for each in outcomes if options.list else ():
        if (each.verdict == "supported") is not each.claim.is_right:
            kind = "right" if each.claim.is_right else f"wrong: {each.claim.wrong}"
            print(f"{each.claim.id} {each.verdict} ({kind}) {each.why}\n    {each.claim.text}")


if __name__ == "__main__":
    main()
