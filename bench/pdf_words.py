"""Words of PDFs as `kebab-parse-pdf` reads them, against those of `pdftotext -layout`.

    python -m bench.pdf_words FOLDER...

Prints a row for each file that both read as text, with the share of pdftotext's words that are found (recall) and of ours
that are pdftotext's (precision), counted with repeats; then the outcomes, pages per second and the peak of memory. A word is a
run of letters and digits, NFKC and folded. A word that ends a line with a hyphen, or that we join over the end of a line, counts as found
if the judge has both halves. Text that only one reads for what it is (hidden layers, vertical writing) counts.
"""

from __future__ import annotations

import argparse
import re
import resource
import subprocess
import time
import unicodedata
from collections import Counter
from pathlib import Path

from kebab_core import CanonicalDocument, KebabError, PdfIngestSettings, PdfMedia
from kebab_parse_pdf import PdfExtractor
from kebab_testing.documents import make_context

_WORD = re.compile(r"[^\W_]+")
_LEAST_WORDS = 20
"""Words of the judge from which on a file is compared: shares of fewer say nothing."""


_TARGET = 0.95


def main() -> None:
    """Compare all PDFs below the folders."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    arguments = parser.parse_args()
    extractor = PdfExtractor(PdfIngestSettings())
    outcomes: Counter[str] = Counter()
    shares: list[tuple[float, float]] = []
    pages, seconds, slowest = 0, 0.0, ("", 0.0)
    for path in sorted(path for folder in arguments.folders for path in _list_files(folder)):
        content = path.read_bytes()
        started, cpu = time.perf_counter(), time.process_time()
        try:
            document = extractor.extract(make_context(content, path="a.pdf", media_type=PdfMedia()), content)
        except KebabError as error:
            outcomes[error.code] += 1
            continue
        slowest = max(slowest, (path.name, time.perf_counter() - started), key=lambda each: each[1])
        seconds += time.process_time() - cpu
        pages += len(document.text.parts) if document.text else 0
        outcomes[_outcome(document)] += 1
        share = _compare(path, document)
        if share:
            shares.append(share)
    recalls, precisions = zip(*shares, strict=True)
    print(f"\n{len(shares)} files: recall {_mean(recalls):.3f}, precision {_mean(precisions):.3f} (means)")
    below = [sum(share < _TARGET for share in own) for own in (recalls, precisions)]
    print(f"below {_TARGET}: recall {below[0]}, precision {below[1]}")
    print("outcomes:", ", ".join(f"{name} {count}" for name, count in outcomes.most_common()))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{pages} pages, {pages / seconds:.0f} pages per second of one core; peak {peak:.0f} MB")
    print(f"slowest: {slowest[0]} {slowest[1]:.1f} s")


def _list_files(folder: Path) -> list[Path]:
    return [folder] if folder.is_file() else [path for path in folder.rglob("*.pdf") if path.is_file()]


def _outcome(document: CanonicalDocument) -> str:
    if document.blocks:
        return "text"
    warnings = document.provenance.warnings
    return (
        str(warnings[0]).split(":")[0].split(" is ")[-1].split(" are ")[-1] if warnings else "silently empty"
    )


def _compare(path: Path, document: CanonicalDocument) -> tuple[float, float] | None:
    command = ["pdftotext", "-layout", "-enc", "UTF-8", str(path), "-"]
    judge = subprocess.run(command, capture_output=True, check=False)
    theirs = _words(judge.stdout.decode("utf-8", "replace"))
    ours = _words(document.text.text if document.text else "")
    if theirs.total() < _LEAST_WORDS or not ours:
        return None
    recall, precision = _score(ours, theirs)
    print(f"{recall:.3f} {precision:.3f} {theirs.total():6d} words  {path.name}")
    return recall, precision


def _words(text: str) -> Counter[str]:
    return Counter(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def _score(ours: Counter[str], theirs: Counter[str]) -> tuple[float, float]:
    missed, extra = theirs - ours, ours - theirs
    for word in list(extra):
        for cut in range(1, len(word)):
            halves = word[:cut], word[cut:]
            count = min(extra[word], missed[halves[0]], missed[halves[1]])
            if count > 0:
                extra[word] -= count
                missed[halves[0]] -= count
                missed[halves[1]] -= count
    return 1 - max(missed.total(), 0) / theirs.total(), 1 - max(extra.total(), 0) / ours.total()


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
