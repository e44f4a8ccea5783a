"""Citations over random and real files: `python -m bench.citations [FOLDER...] [--files N] [--chunks N] [--seed S]`.

Words of passages outside of their cited lines, words of files in no passage, quotes of answers outside of their lines, and of
every kind of file of `bench.kinds`, or in the folders, passages whose address opens to a text without their words; exit code 1 if there are any.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from kebab_app import App, AskRequest
from kebab_config import load_settings
from kebab_core import AnswerFinal, KebabError, LineCitation, LineSpan, SearchMode
from kebab_parse import decode_text
from kebab_testing.documents import make_policy

from bench.kinds import check_addresses, find_missing, open_base, write_files
from tests.integration.citation_lines import COUNTER, cut_file, cut_random_file, find_faults
from tests.integration.random_documents import VISIBLE, make_markdown, word_lines

ANSWERED_FILES = 40
SUFFIXES = {".md", ".txt", ".rst", ".org"}
MOST_SHOWN = 20


def check_random_files(seed: int, chunks: int) -> int:
    # files of the seeds seed, seed + 1, ... until there are so many chunks
    cut = files = faulty = 0
    while cut < chunks:
        text, found = cut_random_file(Random(seed + files))  # noqa: S311 - documents, no secrets
        faults = list(find_faults(text, found))
        cut += len(found)
        files += 1
        faulty += bool(faults)
        for fault in faults[:3]:
            print(f"  seed {seed + files - 1}: {fault}")
    print(f"{files} random files, {cut} chunks: {faulty} files with faults", flush=True)
    return faulty


def check_real_files(folder: Path, most: int) -> int:
    # the letters of a chunk have to stand in its lines, in order; digits are left out, since lists are counted anew
    cut = outside = 0
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in SUFFIXES and path.is_file()]
    for path in paths[:: -(-len(paths) // most) or 1]:
        try:
            text = decode_text(path.read_bytes()).text
            chunks = cut_file(text, is_markdown=path.suffix == ".md", policy=make_policy(label=COUNTER.label))
        except KebabError:
            continue
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for chunk in chunks:
            cut += 1
            own = chunk.text[chunk.lead.end if chunk.lead else 0 :]
            spans = [span for span in chunk.source_spans if isinstance(span, LineSpan)]
            cited = "\n".join("\n".join(lines[span.start - 1 : span.end]) for span in spans)
            missing = find_missing(own, cited)
            if missing:
                outside += 1
                print(f"  {path.name} {[(span.start, span.end) for span in spans]}: {missing!r}")
    print(f"{folder.name}: {cut} chunks, {outside} with words outside of their lines", flush=True)
    return outside


def check_kinds(folder: Path, most: int) -> int:
    # ingested, so that pages, slides, cells, regions and times are opened, too
    with tempfile.TemporaryDirectory() as home, open_base(folder, Path(home)) as app:
        app.ingest()
        entries = app.base.index.documents.list_entries()
        chosen = entries[:: -(-len(entries) // most) or 1]
        passages, outside, kinds = 0, 0, Counter[str]()
        for entry in chosen:
            counts = check_addresses(app, entry)
            passages, outside = passages + counts[0], outside + counts[1]
            kinds[entry.doc_path.rpartition(".")[2].lower()] += 1
    print(
        f"{folder}: {len(chosen)} documents, {passages} passages: {outside} outside; {dict(kinds)}",
        flush=True,
    )
    return outside


def check_answers(seed: int) -> int:
    # every quote of an explained answer stands in the lines that are cited for it
    random = Random(seed)  # noqa: S311 - documents, no secrets
    quotes = faults = 0
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        texts = {f"{number}.md": make_markdown(random) for number in range(ANSWERED_FILES)}
        for name, text in texts.items():
            home.joinpath("notes", name).parent.mkdir(exist_ok=True)
            home.joinpath("notes", name).write_bytes(text.encode())
        config = home / "kebab.toml"
        config.write_text(
            f'[workspace]\nroot = "{home}/notes"\n[storage]\ndata_dir = "{home}/data"\n'
            '[models.embedding]\nprovider = "none"\n'
        )
        with App(load_settings(config_path=config, environ={"HOME": folder})) as app:
            app.ingest()
            places = {name: word_lines(text) for name, text in texts.items()}
            for word in [word for lines in places.values() for word in _sample(lines, random)]:
                for said, fault in _check_quotes(app, word, places):
                    quotes += said
                    faults += bool(fault)
                    if fault and faults < MOST_SHOWN:
                        print(f"  {fault}")
    print(f"{quotes} quotes of answers, {faults} outside of their lines", flush=True)
    return faults


def _sample(lines: dict[str, int], random: Random) -> list[str]:
    return random.sample(list(lines), min(8, len(lines)))


def _check_quotes(app: App, word: str, places: dict[str, dict[str, int]]) -> Iterator[tuple[bool, str]]:
    # whether a word is quoted, and what is wrong with its citation
    *_, last = app.ask_stream(AskRequest(question=f"{word}?", mode=SearchMode.LEXICAL))
    if not isinstance(last, AnswerFinal):
        return
    for claim in last.answer.claims:
        cited = [each.citation for each in claim.sources if isinstance(each.citation, LineCitation)]
        for said in VISIBLE.findall(claim.text) if cited else ():
            lines = [(places[str(each.path)].get(said, 0), each) for each in cited]
            is_inside = any(each.start <= line <= each.end for line, each in lines)
            yield True, "" if is_inside else f"{said}: {[(n, str(c.path), c.start, c.end) for n, c in lines]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="folders of real notes and texts")
    parser.add_argument(
        "--files", type=int, default=100_000, help="files of each folder at most, spread evenly"
    )
    parser.add_argument("--chunks", type=int, default=100_000, help="random chunks at least")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**31), help="a fresh one without")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    faults = check_random_files(options.seed, options.chunks) + check_answers(options.seed)
    outside = sum(check_real_files(folder, options.files) for folder in options.folders)
    with tempfile.TemporaryDirectory() as made:
        write_files(Path(made))
        outside += sum(check_kinds(folder, options.files) for folder in [Path(made), *options.folders])
    return 1 if faults or outside else 0


if __name__ == "__main__":
    sys.exit(main())
