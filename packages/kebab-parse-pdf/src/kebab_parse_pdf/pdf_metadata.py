"""What a PDF says about itself: title, author, dates, keywords, page labels, attachments."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import TYPE_CHECKING

from kebab_core import MAX_NAME_CHARS, shorten
from kebab_parse import read_given_title
from pydantic import JsonValue

from kebab_parse_pdf.pdfium import read_text

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument

_DATE = re.compile(
    r"D?:?\s*(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?'?)?",
)
_SEPARATORS = re.compile(r"[,;·、]")
_MAX_LABEL_RUNS = 100
_LAST_NUMBER = re.compile(r"(?<!\d)\d++$")
_LABEL_KINDS = (re.compile(r"[ivxlcdm]+"), re.compile(r"[IVXLCDM]+"))


@dataclass(frozen=True, slots=True)
class PdfMetadata:
    """What a PDF says about itself, all text in NFC, a line each."""

    title: str | None
    author: str
    subject: str
    keywords: tuple[str, ...]
    created: datetime | None
    modified: datetime | None
    labels: tuple[str, ...]
    """Label of each page as it is printed, empty where the file has none."""
    attachments: tuple[str, ...]
    """Names of the files inside, up to 100."""

    def to_values(self) -> dict[str, JsonValue]:
        """Convert it to the keys of front matter; what is not known is left out."""
        values: dict[str, JsonValue] = {
            "title": self.title,
            "tags": list(self.keywords),
            "created": self.created.isoformat() if self.created else None,
            "updated": self.modified.isoformat() if self.modified else None,
            "author": self.author,
            "subject": self.subject,
            "pages": len(self.labels),
            "page_labels": _list_label_runs(self.labels),
            "attachments": list(self.attachments),
        }
        return {name: value for name, value in values.items() if value}


def read_metadata(pdf: PdfDocument) -> PdfMetadata:
    """Read what a document says about itself. Values that cannot be read are left out."""
    values = {name: _clean(read_text(partial(pdf.get_metadata_value, name))) for name in pdf.METADATA_KEYS}
    names = (_clean(read_text(partial(_read_name, pdf, index))) for index in range(pdf.count_attachments()))
    keywords = (
        shorten(word, MAX_NAME_CHARS)
        for word in _SEPARATORS.split(values.get("Keywords", ""))
        if word.strip()
    )
    return PdfMetadata(
        title=read_given_title(values.get("Title", "")),
        author=values.get("Author", ""),
        subject=values.get("Subject", ""),
        keywords=tuple(dict.fromkeys(keywords)),
        created=read_date(values.get("CreationDate", "")),
        modified=read_date(values.get("ModDate", "")),
        labels=tuple(_clean(read_text(partial(pdf.get_page_label, index))) for index in range(len(pdf))),
        attachments=tuple(filter(None, names)),
    )


def _read_name(pdf: PdfDocument, index: int) -> str:
    name: str = pdf.get_attachment(index).get_name()
    return name


def read_date(text: str) -> datetime | None:
    """Read a date as PDFs have it, `D:20240131120000+09'00'`; None where it is none. Missing parts are the earliest."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    offset = timedelta(hours=int(match[8] or 0), minutes=int(match[9] or 0))
    try:
        zone = timezone(-offset if match[7] == "-" else offset)
        return datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _clean(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable() or char.isspace())
    return unicodedata.normalize("NFC", " ".join(kept.split()))


def _list_label_runs(labels: Sequence[str]) -> dict[str, JsonValue]:
    """Return the label of the first page of each run of labels of one kind, by the number of that page from 1.

    Empty where the labels are the numbers of the pages.
    """
    runs: dict[str, JsonValue] = {}
    last: tuple[str, int | None] | None = None
    for page, label in enumerate(labels, 1):
        if not label:
            continue
        digits = _LAST_NUMBER.search(label)
        kind = (
            label[: digits.start()] + "#"
            if digits
            else next((str(at) for at, form in enumerate(_LABEL_KINDS) if form.fullmatch(label)), label)
        )
        offset = page - int(digits[0]) if digits else None
        if (kind, offset) not in {last, ("#", 0) if not runs else None}:
            runs[str(page)] = label
            if len(runs) == _MAX_LABEL_RUNS:
                break
        last = kind, offset
    return runs
