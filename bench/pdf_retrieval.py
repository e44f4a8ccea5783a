"""Search over PDFs: 20 phrases to their page and place, and 20 questions to the page that answers.

    python -m bench.pdf_retrieval LSHORT_KO_PDF PDF... [--seed S]

The phrases are words of random pages as `pdftotext` reads them; each must be found on its page, and the characters of the phrase, as
PDFium searches them, must lie inside of the cited rectangles. The questions are over lshort-ko, kotex-utf-doc and four English
files of py-pdf/sample-files.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

from kebab_app import App
from kebab_config import load_settings
from kebab_core import PageCitation, SearchMode, SearchQuery
from pypdfium2 import PdfDocument

PHRASES, WORDS = 20, 4
_SLACK = 1.5
"""Points that a character may stand out of its rectangle: fonts say how high their characters are, and are not exact."""


class Question(NamedTuple):
    """A question, with the pages of each file that answer it."""

    text: str
    file: str
    pages: range
    also: tuple[tuple[str, range], ...] = ()


def _page(first: int, last: int | None = None) -> range:
    return range(first, (last or first) + 1)


QUESTIONS = (
    Question("LaTeX에서 따옴표는 어떻게 입력하나요?", "lshort-ko", _page(30)),
    Question("유로 통화 기호를 쓰려면 어떤 패키지가 필요한가요?", "lshort-ko", _page(31)),
    Question("각주를 다는 명령은 무엇인가요?", "lshort-ko", _page(42), (("kotex-utf-doc", _page(43, 45)),)),
    Question("tabular 환경으로 표를 만드는 방법", "lshort-ko", _page(45, 47)),
    Question("여러 줄 수식을 IEEEeqnarray로 조판하는 방법", "lshort-ko", _page(61, 63)),
    Question("행렬은 어떻게 조판하나요?", "lshort-ko", _page(64, 65)),
    Question("정리 환경을 newtheorem으로 정의하려면?", "lshort-ko", _page(68, 69)),
    Question("beamer로 발표자료를 만드는 방법", "lshort-ko", _page(90, 92)),
    Question("picture 환경에서 원을 그리려면?", "lshort-ko", _page(96, 97)),
    Question("TikZ로 그래픽을 그리는 방법", "lshort-ko", _page(103, 106)),
    Question("새로운 명령을 정의하는 newcommand", "lshort-ko", _page(107, 108)),
    Question("윈도우즈에서 TeX을 얻으려면 어디로 가야 하나요?", "lshort-ko", _page(124, 125)),
    Question("단어가 잘못 분철되면 어떻게 고치나요?", "lshort-ko", _page(29, 30)),
    Question("세로쓰기는 어떻게 하나요?", "kotex-utf-doc", _page(34)),
    Question("komkindex로 색인을 만드는 방법", "kotex-utf-doc", _page(52, 53)),
    Question(
        "자동조사 명령에는 어떤 것이 있나요?", "kotex-utf-doc", _page(21, 22), (("lshort-ko", _page(41, 42)),)
    ),
    Question("What should you do in the face of ambiguity?", "google-doc-document", _page(1)),
    Question("Who pushes the human race forward?", "crazyones-pdfa", _page(1)),
    Question("Are namespaces a good idea?", "google-doc-document", _page(1)),
    Question("What is there to gaze at a red planet?", "crazyones-pdfa", _page(1)),
)


def main() -> None:
    """Ingest the files into a throw-away base, and ask."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lshort", type=Path)
    parser.add_argument("others", nargs="*", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        home.joinpath("notes").mkdir()
        for path in (arguments.lshort, *arguments.others):
            shutil.copyfile(path, home / "notes" / path.name)
        config = home / "kebab.toml"
        config.write_text(
            f'[workspace]\nroot = "{home}/notes"\n[storage]\ndata_dir = "{home}/data"\n', "utf-8"
        )
        with App(load_settings(config_path=config, environ={"HOME": folder})) as app:
            app.ingest()
            app.embed()
            _check_phrases(app, arguments.lshort, Random(arguments.seed))  # noqa: S311 - pages, no secrets
            _check_questions(app)


def _check_phrases(app: App, path: Path, random: Random) -> None:
    pdf = PdfDocument(path)
    found = inside = 0
    for page, phrase in _choose_phrases(path, len(pdf), random):
        response = app.search(SearchQuery(text=f'"{phrase}"', mode=SearchMode.LEXICAL, k=1))
        cited = response.hits[0].citation if response.hits else None
        is_found = isinstance(cited, PageCitation) and cited.page == page
        is_inside = is_found and isinstance(cited, PageCitation) and _is_inside(pdf, phrase, cited)
        found, inside = found + is_found, inside + is_inside
        if not is_inside:
            print(
                f"  page {page} {phrase!r}: {cited.to_address() if cited else 'no hit'}{' outside' * is_found}"
            )
    print(f"phrases: {found} of {PHRASES} cited to their page, {inside} inside of the rectangles")


def _choose_phrases(path: Path, pages: int, random: Random) -> Iterator[tuple[int, str]]:
    texts = [
        subprocess.run(
            ["pdftotext", "-f", str(page), "-l", str(page), str(path), "-"], capture_output=True, check=True
        ).stdout.decode()
        for page in range(1, pages + 1)
    ]
    seen = Counter(phrase for text in texts for phrase in set(_phrases(text)))
    numbers = [page for page, text in enumerate(texts, 1) if any(seen[each] == 1 for each in _phrases(text))]
    for page in sorted(random.sample(numbers, PHRASES)):
        yield page, random.choice([each for each in _phrases(texts[page - 1]) if seen[each] == 1])


def _phrases(text: str) -> list[str]:
    """List runs of words inside of a line; the first and last word may be cut."""
    found = []
    for line in text.splitlines():
        words = line.split()[1:-1]
        found += [" ".join(words[at : at + WORDS]) for at in range(len(words) - WORDS + 1)]
    return [each for each in found if re.fullmatch(r"[가-힣A-Za-z ]{10,}", each)]


def _is_inside(pdf: PdfDocument, phrase: str, cited: PageCitation) -> bool:
    page = pdf[cited.page - 1]
    textpage, height = page.get_textpage(), page.get_height()
    found = textpage.search(phrase).get_next()
    if found is None:
        return False
    start, count = found
    for index in range(start, start + count):
        left, bottom, right, top = textpage.get_charbox(index)
        is_covered = any(
            each.x - _SLACK <= left
            and right <= each.x + each.w + _SLACK
            and each.y - _SLACK <= height - top
            and height - bottom <= each.y + each.h + _SLACK
            for each in cited.rectangles or ()
        )
        if right > left and not is_covered:
            return False
    return True


def _check_questions(app: App) -> None:
    ranks: list[int | None] = []
    for question in QUESTIONS:
        hits = app.search(SearchQuery(text=question.text, k=3)).hits
        places = [(hit.citation.path.stem, getattr(hit.citation, "page", 0)) for hit in hits]
        rank = next((at for at, place in enumerate(places, 1) if _answers(question, place)), None)
        ranks.append(rank)
        if rank != 1:
            print(f"  {question.text}: {places}")
    print(
        f"questions: first hit {ranks.count(1)} of {len(ranks)}, among three {sum(r is not None for r in ranks)}"
    )


def _answers(question: Question, place: Sequence[object]) -> bool:
    rights = ((question.file, question.pages), *question.also)
    return any(place[0] == file and place[1] in pages for file, pages in rights)


if __name__ == "__main__":
    main()
