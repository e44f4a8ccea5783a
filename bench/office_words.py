"""Words of office files as kebab reads them, against those of LibreOffice's plain export.

    python -m bench.office_words FOLDER...
    python -m bench.office_words --worst 20 FOLDER...

Prints the recall of words for each file below the folders, and of all together. Text documents are exported as text, sheets
as CSV with the cells as they are shown, slides as PDF and then by `pdftotext`. Recall is the share of LibreOffice's words,
counted as often as they occur, that kebab's text holds. LibreOffice writes tables of contents too, which kebab leaves out.
Presentations with charts are left out: LibreOffice draws their axes, kebab reads their values. `soffice` and `pdftotext` are
only needed here.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kebab_core import CanonicalDocument, DocumentError, OfficeMedia, UnsupportedMediaError
from kebab_parse_office import PresentationExtractor, SheetExtractor, TextDocumentExtractor
from kebab_testing.documents import make_context

WANTED = 0.97
ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1"
FILTERS = {
    "docx": "txt:Text (encoded):UTF8",
    "odt": "txt:Text (encoded):UTF8",
    "pptx": "pdf",
    "odp": "pdf",
    "xlsx": ALL_SHEETS,
    "xls": ALL_SHEETS,
    "ods": ALL_SHEETS,
}
EXTRACTORS = (TextDocumentExtractor, PresentationExtractor, SheetExtractor)
_WORD = re.compile(r"\w+")


class Comparison(NamedTuple):
    """Words of one file."""

    path: Path
    expected: Counter[str]
    """Words of LibreOffice."""
    found: Counter[str]
    """Words of kebab."""

    @property
    def missing(self) -> Counter[str]:
        """Words of LibreOffice that kebab does not have as often."""
        return self.expected - self.found

    @property
    def recall(self) -> float:
        """Share of LibreOffice's words; 1 where it has none."""
        total = self.expected.total()
        return 1 - self.missing.total() / total if total else 1.0


def count_words(text: str) -> Counter[str]:
    """Count the words of a text."""
    return Counter(_WORD.findall(unicodedata.normalize("NFC", text).casefold()))


def read_file(path: Path) -> CanonicalDocument:
    """Read a file as kebab does, in this process."""
    content, media = path.read_bytes(), OfficeMedia(format=path.suffix[1:].lower())
    context = make_context(content, path=f"bench/{path.name}", media_type=media)
    extractors = (make() for make in EXTRACTORS)
    return next(each for each in extractors if each.supports(media)).extract(context, content)


def has_charts(path: Path) -> bool:
    """Whether a presentation holds charts."""
    if path.suffix != ".pptx" or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as archive:
        return any(name.startswith("ppt/charts/") for name in archive.namelist())


def export_all(paths: list[Path], folder: Path) -> dict[Path, str]:
    """Export files with LibreOffice, those of a format in one call, and return their texts."""
    texts: dict[Path, str] = {}
    for form, export in FILTERS.items():
        mine = {f"{number}": path for number, path in enumerate(paths) if path.suffix[1:].lower() == form}
        if not mine:
            continue
        given, made = folder / form, folder / f"{form}-out"
        given.mkdir()
        for name, path in mine.items():
            shutil.copyfile(path, given / f"{name}.{form}")
        command = ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
        command += ["--convert-to", export, "--outdir", str(made), *map(str, sorted(given.iterdir()))]
        subprocess.run(command, check=False, capture_output=True, timeout=1200)
        texts |= {path: text for name, path in mine.items() if (text := _read_export(made, name)) is not None}
    return texts


def _read_export(folder: Path, name: str) -> str | None:
    files = sorted([*folder.glob(f"{name}.*"), *folder.glob(f"{name}-*.csv")])
    texts: list[str] = []
    for file in files:
        if file.suffix == ".pdf":
            command = ["pdftotext", "-layout", str(file), "-"]
            texts.append(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        elif file.suffix == ".csv":
            with file.open(encoding="utf-8", newline="") as lines:
                texts += ["\n".join(row) for row in csv.reader(lines)]
        else:
            texts.append(file.read_text(encoding="utf-8-sig"))
    return "\n".join(texts) if files else None


def compare_all(paths: list[Path]) -> Iterator[Comparison]:
    """Yield the comparisons of the files that LibreOffice can export; what kebab refuses is printed."""
    with tempfile.TemporaryDirectory(prefix="kebab-office-") as folder:
        exported = export_all(paths, Path(folder))
    for path in paths:
        if path not in exported:
            print(f"not exported  {path}")
            continue
        try:
            document = read_file(path)
        except (DocumentError, UnsupportedMediaError) as error:
            print(f"refused       {path}: {error}")
            continue
        text = document.text.text if document.text else ""
        yield Comparison(path, count_words(exported[path]), count_words(text))


def main() -> int:
    """Print the figures; return 1 where the recall of all files together is below what is wanted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--worst", type=int, default=10, help="files to print, the worst first")
    arguments = parser.parse_args()
    found_paths = sorted(
        path
        for folder in arguments.folders
        for path in folder.rglob("*")
        if path.suffix[1:].lower() in FILTERS
    )
    paths = [path for path in found_paths if not has_charts(path)]
    found = sorted(compare_all(paths), key=lambda each: each.recall)
    for each in found[: arguments.worst]:
        lost = ", ".join(f"{word} ({count})" for word, count in each.missing.most_common(6))
        print(f"{each.recall:.3f}  {each.expected.total():6,} words  {each.path}  {lost}")
    reached = True
    for form in FILTERS:
        mine = [each for each in found if each.path.suffix[1:].lower() == form]
        words, lost = sum(each.expected.total() for each in mine), sum(each.missing.total() for each in mine)
        if words:
            good = sum(each.recall >= WANTED for each in mine)
            print(
                f"{form:5} {len(mine):4} files  {words:8,} words  recall {1 - lost / words:.4f}  {good} at {WANTED}"
            )
            reached = reached and 1 - lost / words >= WANTED
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
