"""The trees of `kebab_extractive/span_model.json`, fitted on questions with marked answers.

`collect` searches for every question as `kebab ask` does, by words and with vectors, and writes the features of each span
with whether what is printed for it answers; `fit` fits the trees on the part *fit* and prints how they choose on the part
*choose*, for all sets and with each set left out; `--write` fits them on both parts and writes them. Needs `lightgbm`, which the project does not.

Sets: the collections of `bench.answers`; the suites of `bench/suites`; `small`, bases of one to ten pages of them; `absent`, questions of another collection;
public sets of passages, with the passage of each question and without it (`--public`, folders with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv` and `answers.jsonl`).
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import yaml
from kebab_app import App
from kebab_config import lighten_libraries, load_settings, read_environment
from kebab_core import Embedder, EmbeddingKind, Passage, Retriever, SearchMode, SearchQuery
from kebab_eval import part_of
from kebab_extractive import ANSWERED, NAMES, ExtractiveReader
from kebab_rag import search_evidence
from kebab_search import decode_centroids
from kebab_text import fold

from bench.answers import COLLECTIONS, open_base
from bench.question_sets import FOLDERS, Place, Question, cited_lines, folder_of, read_questions

MODEL = Path(__file__).parents[1] / "packages/kebab-extractive/src/kebab_extractive/span_model.json"
QUERIES = Path(__file__).parent / "suites"
SUITES = {
    "vaults": ("*-[abc].yaml", ("vaults/wiki-ko", "vaults/obsidian-ko", "md/fastapi-en")),
    "docs": (
        "docs/*-d.yaml",
        (
            "md/fastapi-ko",
            *(
                f"md/cppdocs-en/{folder}"
                for folder in [
                    "overview",
                    "porting",
                    "sanitizers",
                    "linux",
                    "security",
                    "ide",
                    "preprocessor",
                    "safeint",
                ]
            ),
        ),
    ),
}
"""Suites, and the folders that they ask for, by the name of their base."""
MODES = (SearchMode.HYBRID, SearchMode.LEXICAL)
HITS = 10
SMALL = 64
"""Small bases."""
SMALL_OF = {
    "fit": (
        "person",
        "cafe",
        "farm",
        "fastapi-ko",
        "handbook",
        "house",
        "lab",
        "fastapi-en",
        "museum",
        "press",
        "studio",
    ),
    "choose": ("person", "care", "fastapi-ko", "care", "fastapi-en"),
}
"""Folders that they are made of, in turn, by part."""
SIZES = (1, 2, 3, 4, 6, 10)
ABSENT = 70
"""Questions of other collections that are asked of each."""
ASKED = 300
"""Most questions of each public set, of the half that `kebab eval beir --part 1/2` asks."""
MARKS = re.compile(r"[\s`*_>#|\\,\"-]+")
PARAMETERS = {
    "n_estimators": 150, "num_leaves": 24, "learning_rate": 0.05, "min_child_samples": 60, "subsample": 0.8, "subsample_freq": 1,
    "colsample_bytree": 0.5, "reg_lambda": 10, "random_state": 1, "n_jobs": 1, "verbose": -1, "deterministic": True,
}  # fmt: skip
"""Of LightGBM; other sizes of trees and forests change the measures of parts left out by less than their noise."""


RISING = {
    "own",
    "context",
    "before",
    "around",
    "score",
    "names_held",
    "numbers_held",
    "held",
    "cosine",
    "centred",
}
FALLING = {"behind", "score_behind", "missing", "missing_in_passage", "lacking", "cosine_behind", "newer"} | {
    "own_behind",
    "cosine_behind_in_passage",
    "centred_behind",
}
"""Features that never count against a span, or for it. It costs nothing on the parts left out."""


class Row(NamedTuple):
    """The spans of one question in one mode."""

    set: str
    part: str
    mode: str
    is_answerable: bool
    features: np.ndarray
    right: np.ndarray
    """Of each span whether what is printed for it answers."""


class Asked(NamedTuple):
    """A question of any set with its answers: places, or texts on pages of these names."""

    text: str
    part: str
    is_answerable: bool
    places: Sequence[Place] = ()
    pages: frozenset[str] = frozenset()
    texts: Sequence[str] = ()
    """Any of them is an answer."""
    words: Sequence[str] = ()
    """All of them together are an answer."""


def own(questions: Iterable[Question], *, is_answerable: bool = True) -> list[Asked]:
    """Return questions of `bench/questions`; follow-ups behind their first question."""
    return [
        Asked(
            f"{each.earlier} {each.text}" if each.earlier else each.text,
            each.part,
            is_answerable and each.is_answerable,
            (each.page, *each.also) if is_answerable and each.is_answerable else (),
        )
        for each in questions
    ]


def public(folder: Path) -> list[Asked]:
    """Return a sample of the questions of a public set."""
    answers = {row["_id"]: row for row in _lines(folder / "answers.jsonl")}
    pages: dict[str, set[str]] = defaultdict(set)
    for line in (folder / "qrels.tsv").read_text("utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        if float(grade) > 0:
            pages[query].add(_file_name(document))
    found = []
    halves = (row for row in _lines(folder / "queries.jsonl") if part_of(row["_id"], parts=2) == 1)
    for row in sorted(halves, key=lambda row: _digest(row["_id"]))[:ASKED]:
        known = answers.get(row["_id"], {})
        is_answerable = known.get("answerable", True) and bool(known.get("answers"))
        sentences = [text for each in known.get("selected_sentences", ()) for text in each]
        texts = [_bare(text)[:60] for text in sentences or known.get("answers", ())]
        part = "fit" if _digest(row["_id"]) % 4 else "choose"
        found.append(Asked(row["text"], part, is_answerable, pages=frozenset(pages[row["_id"]]), texts=texts))
    return found


def judged(suites: Iterable[Path]) -> list[Asked]:
    """Return the questions of suites of `bench/suites`."""
    found = []
    for suite in suites:
        for row in yaml.safe_load(suite.read_text("utf-8"))["queries"]:
            if row["kind"] != "search":
                pages = frozenset(page.rpartition(":")[2] for page in row.get("expected_doc_ids", ()))
                words = [fold(_bare(word)) for word in row.get("must_contain", ())]
                part = "fit" if _digest(row["id"]) % 2 else "choose"
                found.append(Asked(row["query"], part, bool(words), pages=pages, words=words))
    return found


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return (json.loads(line) for line in path.read_text("utf-8").splitlines())


def _digest(text: str) -> int:
    return int(sha256(text.encode()).hexdigest(), 16)


def _file_name(document: str) -> str:
    return re.sub(r"\W", "_", document) + ".md"


def _bare(text: str) -> str:
    """Return a text without blanks and marks of Markdown."""
    return MARKS.sub("", text)


class Labels:
    """Tells whether printed text answers.

    Args:
        corpora: The folder of corpora.
    """

    def __init__(self, corpora: Path) -> None:
        self._corpora = corpora
        self._files: dict[tuple[str, str], list[str]] = {}

    def answers(self, question: Asked, passage: Passage, printed: str) -> bool:
        """Return True if a printed text contains a line of an answer, or the text of one."""
        path = str(passage.citation.path)
        if question.words:
            held = fold(_bare(printed))
            return path in question.pages and all(word in held for word in question.words)
        if question.texts and question.is_answerable:
            return path in question.pages and any(text and text in _bare(printed) for text in question.texts)
        lines = [bare for line in printed.splitlines() if len(bare := _bare(line)) > 1]
        return any(
            line in wanted or wanted in line
            for place in question.places
            for wanted in self._wanted(place, passage)
            for line in lines
        )

    def _wanted(self, place: Place, passage: Passage) -> list[str]:
        citation = passage.citation
        cited = cited_lines(citation)
        if cited is None or (citation.source_id, citation.path) != (place.corpus, place.path):
            return []
        key = (place.corpus, place.path)
        if key not in self._files:
            text = (folder_of(place.corpus, self._corpora) / place.path).read_text("utf-8", errors="replace")
            self._files[key] = [_bare(line) for line in text.splitlines()]
        lines = self._files[key]
        numbers = (
            number
            for first, last in place.lines
            for number in range(max(first, cited[0]), min(last, cited[1], len(lines)) + 1)
        )
        return [lines[number - 1] for number in numbers if len(lines[number - 1]) > 1]


def open_app(home: Path, sources: dict[str, Path]) -> App:
    """Open a base over some folders and bring it up to date."""
    lighten_libraries()
    home.mkdir(parents=True, exist_ok=True)
    tables = "".join(
        f"[[workspace.sources]]\nid = {json.dumps(name)}\nroot = {json.dumps(str(root.absolute()))}\n"
        for name, root in sources.items()
    )
    config = home / "kebab.toml"
    config.write_text(f'schema_version = 1\n[storage]\ndata_dir = "data"\n{tables}', encoding="utf-8")
    app = App(load_settings(config_path=config, environ=read_environment()))
    app.ingest()
    return app


class KeptVectors:
    """An embedder that makes the vector of each text once.

    Args:
        embedder: Makes them.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._kept: dict[tuple[EmbeddingKind, str], list[float]] = {}

    def embed(self, texts: Sequence[str], kind: EmbeddingKind) -> np.ndarray:
        """Return the vectors of some texts."""
        new = [text for text in dict.fromkeys(texts) if (kind, text) not in self._kept]
        if new:
            rows = self._embedder.embed(new, kind).tolist()
            self._kept.update(((kind, text), row) for text, row in zip(new, rows, strict=True))
        return np.array([self._kept[kind, text] for text in texts])


def describe(app: App, name: str, questions: Sequence[Asked], labels: Labels) -> Iterator[Row]:
    """Yield the spans of each question that has some, as `kebab ask` reads them."""
    base = app.base
    model = base.question_embedder
    embedder: Any = model and KeptVectors(model)
    content = model and base.index.embeddings.query_centroids(model.identity)
    centroids = decode_centroids(content).questions if content else None
    for mode in MODES:
        reader = ExtractiveReader(
            analyzer=base.analyzer,
            index=base.index.terms,
            embedder=embedder if mode is SearchMode.HYBRID else None,
            centroids=centroids,
        )
        for question in questions:
            passages = _find_passages(app, question.text, mode)
            others = [each for each in passages if str(each.citation.path) not in question.pages]
            for given in (passages, others) if question.pages and question.is_answerable else (passages,):
                spans = reader.find_spans(question.text, given)
                right = [labels.answers(question, given[span.rank], printed) for span, printed in spans]
                if spans:
                    is_answerable = question.is_answerable and given is passages
                    features = np.array([span.features for span, _ in spans])
                    yield Row(name, question.part, mode.value, is_answerable, features, np.array(right))


def _find_passages(app: App, question: str, mode: SearchMode) -> list[Passage]:
    hits = search_evidence(
        cast("Retriever", app), SearchQuery(text=question, mode=mode, k=HITS, all_passages=True)
    ).hits
    chunks = {
        item.chunk.chunk_id: item
        for item in app.base.index.documents.get_chunks([hit.chunk_id for hit in hits])
    }
    return [
        Passage(
            marker=hit.rank,
            chunk_id=hit.chunk_id,
            citation=hit.citation,
            title=chunks[hit.chunk_id].document.title,
            heading_path=hit.heading_path,
            lang=hit.lang,
            text=chunks[hit.chunk_id].chunk.text,
            score=hit.score,
            evidence=hit.evidence,
        )
        for hit in hits
        if hit.chunk_id in chunks
    ]


def collect(options: argparse.Namespace) -> None:
    """Write the rows of each set that has none yet."""
    labels = Labels(options.corpora)
    questions = read_questions("fit", "choose")
    jobs: dict[str, Any] = {}
    for name in options.collections:
        jobs[name] = lambda name=name: _collection(name, questions, labels, options)
    jobs["small"] = lambda: _small(questions, labels, options)
    for name in SUITES if options.suites else ():
        jobs[name] = lambda name=name: _suites(name, labels, options)
    for folder in options.public:
        jobs[folder.name] = lambda folder=folder: _public(folder, labels, options)
    for name, job in jobs.items():
        path = options.cache / f"rows-{name}.pickle"
        if not path.exists():
            rows = list(job())
            path.write_bytes(pickle.dumps(rows))
            print(name, len(rows), "questions with spans", flush=True)


def _collection(
    name: str, questions: Sequence[Question], labels: Labels, options: argparse.Namespace
) -> Iterator[Row]:
    inside = [each for each in questions if each.page.corpus in COLLECTIONS[name]]
    outside = [each for each in questions if each.page.corpus not in COLLECTIONS[name] and not each.earlier]
    absent = random.Random(name).sample(outside, ABSENT)  # noqa: S311  # a sample
    with open_base(name, corpora=options.corpora, cache=options.cache) as app:
        yield from describe(app, name, own(inside), labels)
        yield from describe(app, "absent", own(absent, is_answerable=False), labels)


def _public(folder: Path, labels: Labels, options: argparse.Namespace) -> Iterator[Row]:
    pages = options.cache / "pages" / folder.name
    pages.mkdir(parents=True, exist_ok=True)
    for row in _lines(folder / "corpus.jsonl"):
        page = pages / _file_name(row["_id"])
        page.write_text(f"# {row.get('title', '')}\n\n{row['text']}\n", encoding="utf-8")
    with open_app(options.cache / folder.name, {"pages": pages}) as app:
        yield from describe(app, folder.name, public(folder), labels)


def _suites(name: str, labels: Labels, options: argparse.Namespace) -> Iterator[Row]:
    suites, folders = SUITES[name]
    sources = {folder.rpartition("/")[2]: options.corpora / folder for folder in folders}
    with open_app(options.cache / name, sources) as app:
        yield from describe(app, name, judged(sorted(QUERIES.glob(suites))), labels)


def _small(questions: Sequence[Question], labels: Labels, options: argparse.Namespace) -> Iterator[Row]:
    """Yield the rows of bases of a few pages, with questions for them and half as many for other pages."""
    draw = random.Random(1)  # noqa: S311  # a sample
    single = [each for each in questions if not each.earlier]
    for number in range(SMALL):
        part = "choose" if number % 10 in {3, 6, 9} else "fit"
        corpus = SMALL_OF[part][number % len(SMALL_OF[part])]
        of_part = [each for each in single if each.part == part]
        paths = sorted({each.page.path for each in of_part if each.page.corpus == corpus})
        chosen = set(draw.sample(paths, min(SIZES[number % len(SIZES)], len(paths))))
        home = options.cache / f"small-{number}"
        shutil.rmtree(home, ignore_errors=True)
        for path in chosen:
            target = home / "pages" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder_of(corpus, options.corpora) / path, target)
        inside = [each for each in of_part if each.page.corpus == corpus and each.page.path in chosen]
        outside = [
            each
            for each in of_part
            if each not in inside and not any(place.path in chosen for place in each.also)
        ]
        absent = draw.sample(outside, max(4, len(inside) // 2))
        with open_app(home, {corpus: home / "pages"}) as app:
            yield from describe(app, "small", own(inside) + own(absent, is_answerable=False), labels)


def train(rows: Sequence[Row]) -> Any:
    """Return the fitted model."""
    import lightgbm

    features = np.concatenate([row.features for row in rows])
    right = np.concatenate([row.right for row in rows])
    signs = [(name in RISING) - (name in FALLING) for name in NAMES]
    return lightgbm.LGBMClassifier(**PARAMETERS, monotone_constraints=signs).fit(features, right)


def measure(model: Any, rows: Sequence[Row]) -> str:
    """Return the measures of the best spans: how often right, at what precision, and of questions without an answer."""
    right = wrong = first = three = false = 0
    answerable = [row for row in rows if row.is_answerable]
    for row in rows:
        likely = model.predict_proba(row.features)[:, 1]
        order = np.argsort(-likely)
        is_answered = likely[order[0]] >= ANSWERED[row.mode == SearchMode.HYBRID]
        if row.is_answerable:
            first += bool(row.right[order[0]])
            three += bool(row.right[order[:3]].any())
            right += bool(is_answered and row.right[order[0]])
            wrong += bool(is_answered and not row.right[order[0]])
        else:
            false += bool(is_answered)
    asked, others = len(answerable) or 1, len(rows) - len(answerable)
    return (
        f"{len(answerable):4} first {first / asked:.3f} three {three / asked:.3f} answered right {right / asked:.3f} "
        f"wrong {wrong / asked:.3f} precision {right / max(1, right + wrong + false):.3f} "
        f"| {others:4} without answer, answered {false / max(1, others):.3f}"
    )


def fit(options: argparse.Namespace) -> None:
    """Fit, print and perhaps write the trees, which are fitted on the parts *fit* and *choose*."""
    rows: list[Row] = []
    for path in sorted(options.cache.glob("rows-*.pickle")):
        rows += pickle.loads(path.read_bytes())  # noqa: S301  # written by `collect`
    written: dict[str, Any] = {"features": NAMES}
    for mode, name in zip(MODES, ("by_meaning", "by_words"), strict=True):
        of_mode = [row for row in rows if row.mode == mode.value]
        _report(of_mode, mode, left_out=options.left_out)
        if options.write:
            trees = train(of_mode).booster_.dump_model()["tree_info"]
            written[name] = [_tree(each["tree_structure"]) for each in trees]
    if options.write:
        text = json.dumps(written, separators=(",", ":"))
        MODEL.write_text(text.replace("},{", "},\n{") + "\n", encoding="utf-8")


def _report(rows: Sequence[Row], mode: SearchMode, *, left_out: bool) -> None:
    names = sorted({row.set for row in rows})
    for name in names if left_out else ():
        model = train([row for row in rows if row.set != name])
        print(mode, "left out", name, measure(model, [row for row in rows if row.set == name]), flush=True)
    model = train([row for row in rows if row.part == "fit"])
    choose = [row for row in rows if row.part == "choose"]
    for name in names:
        print(mode, name, measure(model, [row for row in choose if row.set == name]))
    print(mode, "all", measure(model, choose))
    calibrate(model, choose)
    gains = sorted(zip(model.feature_importances_, NAMES, strict=True), reverse=True)
    print(" ".join(f"{name}:{gain}" for gain, name in gains))


def calibrate(model: Any, rows: Sequence[Row]) -> None:
    """Print how often the best span is right, by its probability in tenths."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for row in rows:
        likely = model.predict_proba(row.features)[:, 1]
        best = int(np.argmax(likely))
        bins[int(likely[best] * 10)].append((float(likely[best]), bool(row.right[best])))
    for tenth, found in sorted(bins.items()):
        print(
            f"  {tenth / 10:.1f}: {len(found):4} said {np.mean(found, axis=0)[0]:.2f} right {np.mean(found, axis=0)[1]:.2f}"
        )


def _tree(root: dict[str, Any]) -> dict[str, list[float]]:
    """Return a tree of LightGBM as lists, see `kebab_extractive.reader.Tree`."""
    tree: dict[str, list[float]] = {key: [] for key in ("features", "thresholds", "left", "right", "values")}

    def add(node: dict[str, Any]) -> int:
        if "leaf_value" in node:
            tree["values"].append(round(node["leaf_value"], 4))
            return -len(tree["values"])
        at = len(tree["features"])
        tree["features"].append(node["split_feature"])
        tree["thresholds"].append(float(f"{node['threshold']:.6g}"))
        tree["left"].append(0)
        tree["right"].append(0)
        tree["left"][at] = add(node["left_child"])
        tree["right"][at] = add(node["right_child"])
        return at

    add(root)
    return tree


def main() -> None:
    """Collect or fit."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("collect", "fit"))
    parser.add_argument("--corpora", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(__file__).parents[1] / ".vaults" / "answers")
    parser.add_argument(
        "--collections", nargs="*", choices=COLLECTIONS, default=[*FOLDERS, "fastapi", "wiki"]
    )
    parser.add_argument("--public", nargs="*", type=Path, default=[])
    parser.add_argument("--suites", action="store_true", help="also the suites")
    parser.add_argument("--left-out", action="store_true", help="also fit with each set left out")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    {"collect": collect, "fit": fit}[options.step](options)


if __name__ == "__main__":
    main()
