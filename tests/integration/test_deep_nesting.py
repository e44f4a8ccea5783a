"""Text that is nested deep is read, or left out with a warning or an error that names the bound; never an internal error."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from kebab_chunk import build_chunker
from kebab_core import DocumentError, ExtractContext, Extractor, LongDocument, OfficeMedia
from kebab_testing.documents import make_context
from kebab_testing.fakes.counter import WordCounter

from tests.integration.format_samples import read_zip, sample, write_zip
from tests.integration.golden_dumps import EXTRACTORS, MEDIA, POLICY

WORD = "innermost"
_MEDIA = {**MEDIA, ".odt": OfficeMedia(format="odt"), ".xlsx": OfficeMedia(format="xlsx")}
Maker = Callable[[int], bytes]


def _around(opening: str, closing: str = "") -> Maker:
    return lambda depth: (opening * depth + WORD + closing * depth).encode()


def _in_member(place: str, before: str, nest: tuple[str, str], inner: str) -> Maker:
    """Nest elements in a member of a sample, `EXTENSION:MEMBER`, before the first of these elements."""
    extension, _, member = place.partition(":")
    opening, closing = nest

    def make(depth: int) -> bytes:
        members = read_zip(sample(extension))
        head, found, tail = members[member].decode().partition(before)
        nested = opening * depth + inner.format(WORD) + closing * depth
        return write_zip({**members, member: f"{head}{nested}{found}{tail}".encode()})

    return make


def _mail(head: str, tail: str = "") -> Maker:
    def make(depth: int) -> bytes:
        heads = "".join(head.format(number) for number in range(depth))
        tails = "".join(tail.format(number) for number in reversed(range(depth)))
        return f"Subject: a\n{heads}Content-Type: text/plain\n\n{WORD}\n{tails}".encode()

    return make


_WORDS = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"
CASES: dict[str, tuple[str, Maker]] = {
    **{
        f"html {tag}": (".html", _around(f"<{tag}>", f"</{tag}>"))
        for tag in ("div", "ul><li", "table><tr><td", "blockquote", "span", "dl><dd", "pre", "sup", "b")
    },
    **{f"md {mark}": (".md", _around(mark, end)) for mark, end in (("> ", ""), ("- ", ""), ("[", "](x)"), ("**", "**"), ("<div>\n", ""))},
    "front matter": (".md", lambda depth: b"---\na: " + b"[" * depth + b"]" * depth + f"\n---\n{WORD}".encode()),
    "epub": (".epub", _in_member("epub:a.xhtml", "<p>", ("<div>", "</div>"), "<p>{}</p>")),
    "parts": (".eml", _mail("Content-Type: multipart/mixed; boundary=b{0}\n\n--b{0}\n", "\n--b{0}--\n")),
    "mails": (".eml", _mail("Content-Type: message/rfc822\n\nSubject: s{0}\n")),
    "docx": (".docx", _in_member("docx:word/document.xml", "<w:tbl>", ("<w:tbl><w:tr><w:tc>", "<w:p/></w:tc></w:tr></w:tbl>"), _WORDS)),
    "docx runs": (".docx", _in_member("docx:word/document.xml", "<w:tbl>", ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"), _WORDS)),
    "odt": (".odt", _in_member("odt:content.xml", "<text:p>", ("<text:list><text:list-item>", "</text:list-item></text:list>"), "<text:p>{}</text:p>")),
    "odt spans": (".odt", _in_member("odt:content.xml", "</text:p>", ("<text:span>", "</text:span>"), "{}")),
    "pptx": (".pptx", _in_member("pptx:ppt/slides/slide1.xml", "<p:sp>", ("<p:grpSp>", "</p:grpSp>"), "<p:sp><p:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:txBody></p:sp>")),
    **{
        f"{extension} {opening}": (extension, _around(opening, closing))
        for extension, opening, closing in (
            (".py", "(", ")"), (".js", "{", "}"), (".c", "{", "}"), (".java", "class A {", "}"),
            (".rs", "mod a {", "}"), (".go", "{", "}"), (".kt", "{", "}"), (".ts", "[", "]"), (".sh", "$(", ")"),
        )
    },
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("depth", [90, 1500])
@pytest.mark.parametrize("case", CASES)
def test_deep_text_is_read_or_left_out_by_a_bound_that_is_named(case: str, depth: int) -> None:
    extension, make = CASES[case]
    extractor, chunker = next(each for each in EXTRACTORS if each[0].supports(_MEDIA[extension]))
    content = make(depth)
    context = make_context(content, path=f"deep/a{extension}", media_type=_MEDIA[extension])
    text, messages = _read(extractor, chunker or "md-heading-v4", context, content)
    assert WORD in text or any("nested" in message and "deep" in message for message in messages)


def _read(
    extractor: Extractor, chunker: str, context: ExtractContext, content: bytes
) -> tuple[str, Sequence[str]]:
    """Return the text of the passages of a document with its warnings, or the error."""
    try:
        document = extractor.extract(context, content)
    except DocumentError as error:
        return "", [error.message]
    chunks = list(build_chunker(chunker, WordCounter()).chunk(LongDocument.of(document), POLICY))
    return " ".join(chunk.text for chunk in chunks), document.provenance.warnings
