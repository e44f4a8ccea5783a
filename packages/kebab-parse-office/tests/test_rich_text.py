from __future__ import annotations

import pytest
from kebab_core import CanonicalDocument, DocumentDamagedError, OfficeMedia
from kebab_parse_office import RichTextExtractor
from kebab_testing.documents import make_context
from kebab_testing.structured_files import STRUCTURED_FILES
from kebab_testing.tables import walk


def read(content: bytes) -> CanonicalDocument:
    context = make_context(content, path="a.rtf", media_type=OfficeMedia(format="rtf"))
    return RichTextExtractor().extract(context, content)


def shown(body: bytes) -> str:
    document = read(rb"{\rtf1\ansi\ansicpg1252 " + body + b"}")
    assert document.text is not None
    return document.text.text


def test_headings_lists_and_tables_are_read_in_order() -> None:
    document = read(STRUCTURED_FILES["rtf"])
    assert document.text is not None
    assert document.title == "Harbour Report"
    assert document.text.text == (
        "# Introduction\n\n한글 문단\n\n원앙 bold\n\nitem\n\n| Name | Price |\n| --- | --- |\n| Apple | 3 |\n\nafter\n"
    )


@walk(
    ("body", "text"),
    [
        (rb"caf\'e9\par", "café\n"),
        (rb"{\fonttbl{\f1\fcharset204 A;}}\f1\'cf\f0\'cf\par", "ПÏ\n"),
        (rb"\uc2\u8364\'80\'80!\par", "€!\n"),
        (rb"\u-10179?\u-8704?\par", "😀\n"),
        (rb"a\line b\par\outlinelevel1 c\par", "a\nb\n\n## c\n"),
        (rb"\bullet\tab one\par\bullet\tab two\par x\par", "- one\n- two\n\nx\n"),
        (rb"{\field{\*\fldinst HYPERLINK x}{\fldrslt shown}}\par", "shown\n"),
        (rb"a {\*\unknown gone} b\par", "a  b\n"),
        (rb"\{x\}\~y\par", "{x} y\n"),
    ],
)
def test_signs_and_code_pages(body: bytes, text: str) -> None:
    assert shown(body) == text


def test_notes_remarks_headers_and_footers_are_read_apart() -> None:
    body = (
        rb"{\header Annual report 2025\par}{\footer Page \chpgn 1\par}{\headerf Annual report 2025\par}\outlinelevel0 Title\par\pard "
        rb"Price{\super\chftn}{\footnote\pard\plain {\super\chftn} without tax\par per month} is 3"
        rb"{\*\atnid K}{\*\atnauthor Kim}{\*\annotation{\*\atndate 1}\pard too high}.\par "
        rb"\trowd\intbl one{\*\footnote of many}\cell two\cell\row\pard end\par"
    )
    assert shown(body) == (
        "# Title\n\nPrice[^1] is 3.\n\n[^1]: without tax\nper month\n\n> Comment (Kim): too high\n\n"
        "| one[^2] | two |\n| --- | --- |\n\n[^2]: of many\n\nend\n\nAnnual report 2025\n"
    )


def test_what_is_no_rich_text_is_damaged() -> None:
    for content in (b"plain", b"{\\rtf1" + b"{" * 20_000):
        with pytest.raises(DocumentDamagedError):
            read(content)
