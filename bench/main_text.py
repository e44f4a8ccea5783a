"""Main text of saved pages: the share of their words that kebab reads, and the share of navigation in what it reads.

Without a folder, of the marked pages of `kebab_testing.saved_pages`. In a folder, each page `NAME.html` of the folder has its text beside it as `NAME.txt`, from any extractor that leaves out navigation
and banners; reports pages of even and odd rank apart, so that limits chosen on one half are checked on the other.

    python -m bench.main_text [FOLDER]
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from time import perf_counter

from kebab_core import CanonicalDocument, HtmlMedia, LinkInline, ListBlock
from kebab_parse_html import HtmlExtractor
from kebab_testing.documents import make_context
from kebab_testing.saved_pages import marked_words, saved_pages

LEAST_WORDS = 50
"""Words of a text below which a page says nothing about recall."""


def main() -> None:
    """Print recall and precision of words for each half, and the pages with the least recall."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    extractor = HtmlExtractor()
    if folder is None:
        _measure_marked_pages(extractor)
        return
    rows: list[tuple[float, float, str]] = []
    size, spent = 0, 0.0
    for page in sorted(folder.glob("*.htm*")):
        expected = _count_words(page.with_suffix(".txt").read_text(encoding="utf-8"))
        if expected.total() < LEAST_WORDS:
            continue
        content = page.read_bytes()
        begin = perf_counter()
        document = extractor.extract(make_context(content, media_type=HtmlMedia()), content)
        spent += perf_counter() - begin
        size += len(content)
        words = _count_words(_read_words(document))
        shared = (expected & words).total()
        rows.append((shared / expected.total(), shared / max(1, words.total()), page.name))
    for name, half in (("even", rows[::2]), ("odd", rows[1::2])):
        recall = sum(row[0] for row in half) / max(1, len(half))
        precision = sum(row[1] for row in half) / max(1, len(half))
        print(f"{name}: {len(half)} pages, recall {recall:.3f}, precision {precision:.3f}")
    print(f"{size / 1e6 / max(spent, 1e-9):.1f} MB a second")
    for recall, precision, name in sorted(rows)[:5]:
        print(f"  {recall:.2f} {precision:.2f} {name}")


def _measure_marked_pages(extractor: HtmlExtractor) -> None:
    """Print, for each kind of page, how many of its marked pieces of text and of navigation are read."""
    for kind, page in saved_pages().items():
        document = extractor.extract(make_context(page.encode(), media_type=HtmlMedia()), page.encode())
        text, menu = marked_words(page)
        read_text, read_menu = marked_words(document.text.text if document.text else "")
        print(
            f"{kind}: {len(read_text)} of {len(text)} texts, {len(read_menu)} of {len(menu)} links of menus"
        )


def _read_words(document: CanonicalDocument) -> str:
    """Return the text without the addresses of links, which the other extractor does not write."""
    text = document.text.text if document.text else ""
    for block in document.blocks:
        items = block.items if isinstance(block, ListBlock) else (block,)
        for inline in (each for item in items for each in getattr(item, "inlines", ())):
            if isinstance(inline, LinkInline):
                text = text.replace(f" ({inline.href})", "", 1)
    return text


def _count_words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text.casefold()))


if __name__ == "__main__":
    main()
