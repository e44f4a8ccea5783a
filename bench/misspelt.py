"""Corrections of words of a query: how many misspelt words are repaired, and how many right ones are taken for misspelt.

Words of a set with one random edit of a letter or jamo are looked for in an index of its documents, and words of other sets in
the same language that the index lacks, three times at least in one of them. Those that only sound like a term do not count.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from kebab_app import App
from kebab_config import load_settings, read_environment
from kebab_core import DEFAULT_SOURCE_ID, SearchMode, SearchQuery
from kebab_eval import Corpus, read_passages, write_passages
from kebab_text import fold, has_hangul

WORDS = 300
"""Of either kind."""
LEAST_OCCURRENCES = 3
WRITTEN = re.compile("[가-힣]{2,}|[A-Za-z]{4,}")
JAMO = [
    [chr(first + place) for place in range(count)]
    for first, count in ((0x1100, 19), (0x1161, 21), (0x11A8, 27))
]
LETTERS = [[chr(place) for place in range(ord("a"), ord("z") + 1)]]


def read_words(folder: Path) -> Iterator[str]:
    """Yield the words of a set's documents in their main script, folded."""
    words = [word for one in read_passages(folder) for word in WRITTEN.findall(f"{one.title} {one.text}")]
    is_korean = sum(map(has_hangul, words)) * 2 > len(words)
    return (fold(word) for word in words if has_hangul(word) is is_korean)


def misspell(word: str, chance: random.Random) -> str:
    """Add, drop or replace a letter or jamo, or swap two neighbours."""
    while True:
        letters = list(unicodedata.normalize("NFD", word))
        at = chance.randrange(len(letters))
        alike = next((group for group in [*JAMO, *LETTERS] if letters[at] in group), LETTERS[0])
        match chance.randrange(4):
            case 0:
                letters.insert(at + 1, chance.choice(JAMO[2] if has_hangul(word) else alike))
            case 1:
                del letters[at]
            case 2:
                letters[at] = chance.choice(alike)
            case _:
                letters[at : at + 2] = reversed(letters[at : at + 2])
        edited = unicodedata.normalize("NFC", "".join(letters))
        if edited != word and re.fullmatch("[가-힣]+|[a-z]+", edited):
            return edited


def choose_words(
    folder: Path, others: list[Path], chance: random.Random
) -> tuple[list[tuple[str, str]], list[str]]:
    """Choose words with their misspellings, and words that no document of the set begins a word with."""
    words = sorted(set(read_words(folder)))

    def is_there(word: str) -> bool:
        at = bisect_left(words, word)
        return at < len(words) and words[at].startswith(word)

    misspelt: list[tuple[str, str]] = []
    while len(misspelt) < WORDS:
        word = chance.choice(words)
        edited = misspell(word, chance)
        if not is_there(edited):
            misspelt.append((word, edited))
    absent: set[str] = set()
    for other in others:
        counts = Counter(word for word in read_words(other) if has_hangul(word) is has_hangul(words[0]))
        absent |= {
            word for word, count in counts.items() if count >= LEAST_OCCURRENCES and not is_there(word)
        }
    return misspelt, chance.sample(sorted(absent), min(WORDS, len(absent)))


def measure(app: App, folder: Path, others: list[Path], *, home: Path, chance: random.Random) -> str:
    """Index a set and describe the shares of its misspelt words and of absent ones."""
    root = home / "documents"
    root.mkdir()
    list(write_passages(read_passages(folder), root))
    corpus = Corpus(roots={DEFAULT_SOURCE_ID: root}, data_dir=home / "data", is_passages=True)
    misspelt, absent = choose_words(folder, others, chance)
    with app.evaluator.open_base(corpus, mode=SearchMode.LEXICAL, sink=lambda _event: None) as base:

        def nearest(word: str) -> list[str]:
            found = base.search(SearchQuery(text=word, mode=SearchMode.LEXICAL, k=1)).unknown_words
            return [each for one in found for each in one.nearest if has_hangul(each) is has_hangul(word)]

        def terms(word: str) -> set[str]:
            return {term.text for term in base.analyzer.analyze(word)}

        repaired = sum(
            any(terms(word) & terms(near) for near in nearest(edited)) for word, edited in misspelt
        )
        replaced = sum(bool(nearest(word)) for word in absent)
    return (
        f"repaired {repaired / len(misspelt):.3f} of {len(misspelt)}, "
        f"absent words replaced {replaced / max(1, len(absent)):.3f} of {len(absent)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "sets", type=Path, nargs="+", help="folders in the layout of BEIR with their own documents"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for folder in options.sets:
        chance = random.Random(options.seed)  # noqa: S311 - not for secrets
        with tempfile.TemporaryDirectory(prefix="misspelt-") as home:
            config = Path(home, "kebab.toml")
            config.write_text('schema_version = 1\n[storage]\ndata_dir = "user"\n', encoding="utf-8")
            with App(load_settings(config_path=config, environ=read_environment())) as app:
                others = [other for other in options.sets if other != folder]
                print(
                    f"{folder.name}: {measure(app, folder, others, home=Path(home), chance=chance)}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
