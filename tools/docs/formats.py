"""The table of formats, between two marks of the guides in each language."""

from __future__ import annotations

from pathlib import Path

from kebab_app import list_formats, merge_formats
from kebab_core import CITED_PLACES, FileFormat, IngestSettings
from kebab_words import Words

from tools.docs.markdown import render_code, render_table

_BEGIN, _END = "<!-- formats: written by `python -m tools.docs.generate` -->\n", "<!-- formats end -->"
_HEADERS = {
    "en": ("files", "extensions", "kind in filters", "cited by"),
    "ko": ("파일", "확장자", "필터의 종류", "인용하는 위치"),
}


def fill_guide(path: Path) -> str:
    """Return a guide with the table between its marks; one without marks as it is."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(_BEGIN)
    if not begin:
        return text
    _, end, after = rest.partition(_END)
    return f"{before}{begin}\n{_render(path.parent.name)}\n\n{end}{after}"


def _render(language: str) -> str:
    words = Words(language)
    built_in = [one for one in list_formats(IngestSettings()) if one.media.kind != "other"]
    return render_table(
        _HEADERS[language], (_row(one, words) for one in merge_formats(built_in) if one.media.kind != "code")
    )


def _row(one: FileFormat, words: Words) -> tuple[str, ...]:
    places = words.localize(CITED_PLACES[one.cites])
    return (
        words.localize(one.title),
        " ".join(render_code(f".{each}") for each in one.extensions),
        render_code(one.media.kind),
        f"{places} ({one.needs})" if one.needs else places,
    )
