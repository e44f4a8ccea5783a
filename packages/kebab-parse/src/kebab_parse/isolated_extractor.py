"""The frame of extractors of files that are not text.

Title and language of a document are chosen by a sample of blocks that is enough for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Final

from kebab_core import (
    UNDETERMINED_LANG,
    Block,
    HeadingBlock,
    ImageRefBlock,
    LinkInline,
    ListBlock,
    ParagraphBlock,
    QuoteBlock,
    TextInline,
)
from kebab_text import detect_language

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import (
        CanonicalDocument,
        DocumentId,
        ExtractContext,
        ExtractedText,
        MediaType,
        Message,
        ParserVersion,
    )
    from pydantic import JsonValue

LANGUAGE_SAMPLE_CHARS = 4096
MAX_DERIVED_TITLE_CHARS = 80


class IsolatedExtractor:
    """What extractors share that are run in worker processes with limits; a subclass adds `extract`.

    The language is detected where the file names none.
    """

    isolated: Final = True
    kind: ClassVar[str]
    """Kind of the media that it reads."""
    formats: ClassVar[frozenset[str] | None] = None
    """Formats of this kind; None for all."""
    version: ClassVar[ParserVersion]
    agent: ClassVar[str]
    """Its distribution, as provenance names it."""

    def supports(self, media_type: MediaType) -> bool:
        """Return True for media of its kind and formats."""
        return media_type.kind == self.kind and (
            self.formats is None or getattr(media_type, "format", None) in self.formats
        )

    def parser_version(self) -> ParserVersion:
        """Return its label."""
        return self.version

    def _identify(self, context: ExtractContext) -> DocumentId:
        """Return the id of the document that it makes of a file."""
        from kebab_parse.assembly import identify_document

        return identify_document(context, self.version)

    def _build(
        self,
        context: ExtractContext,
        blocks: Iterable[Block],
        text: ExtractedText,
        *,
        values: Mapping[str, JsonValue],
        own_title: str = "",
        warnings: Sequence[Message | None] = (),
    ) -> CanonicalDocument:
        """Build the document. One without blocks gets a warning unless it has one.

        Its last paragraph is what `description`, `author`, `tags`, `subject` and `category` of the values say beyond its text.

        Its title is `title` of the values, else that of its text, else the only heading of level 1 if the text begins with it,
        else the stem of the file's name.

        Args:
            context: The file.
            blocks: In reading order, with the id that `_identify` returns.
            text: What the spans of the blocks count in.
            values: What the file says about itself, under the keys that front matter has: `title`, `lang`, `tags`,
                `created`, `updated`; all others are kept as they are.
            own_title: A title that stands in the text, or that its writer gave it, such as the subject of a mail; empty without one.
            warnings: Those that are None are left out.
        """
        from kebab_core import SourceType, shorten_label

        from kebab_parse.assembly import NO_TEXT, assemble_document
        from kebab_parse.metadata import build_metadata
        from kebab_parse.properties import add_properties

        kept = tuple(blocks)
        sample = TitleLanguageSample()
        for block in kept:
            sample.note(block)
        facts = build_metadata(values, context=context, default_source_type=SourceType.REFERENCE)
        given = [warning for warning in warnings if warning is not None]
        if not kept and not given:
            given.append(NO_TEXT)
        next_title = own_title or sample.leading_heading or context.asset.workspace_path.stem
        head = assemble_document(
            context,
            parser_version=self.version,
            agent=self.agent,
            title=facts.title or next_title,
            lang=facts.lang or language_of(sample.blocks),
            facts=facts,
            warnings=given,
            blocks=iter(()),
        ).head
        shown_next = shorten_label(next_title)
        shown, words = add_properties(
            kept,
            text,
            values,
            doc_id=head.doc_id,
            known=(facts.title or "", next_title, *context.surroundings.tags),
        )
        return head.model_copy(
            update={
                "blocks": shown,
                "text": words,
                "next_title": None if shown_next == head.title else shown_next,
            }
        )


class TitleLanguageSample:
    """The heading that may be the title of a document, and the blocks that are enough to detect its language."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        """The first blocks with prose, in order."""
        self._chars = 0
        self._leading: HeadingBlock | None = None
        self._first_headings = 0
        self._is_empty = True

    def note(self, block: Block) -> None:
        """Take the next block into account."""
        if isinstance(block, HeadingBlock) and block.level == 1:
            self._first_headings += 1
            if self._is_empty:
                self._leading = block
        self._is_empty = self._is_empty and (isinstance(block, ImageRefBlock) or _holds_only_links(block))
        if self._chars <= LANGUAGE_SAMPLE_CHARS and (chars := len(prose_of(block))):
            self.blocks.append(block)
            self._chars += chars

    @property
    def leading_heading(self) -> str | None:
        """The only heading of level 1, if nothing but pictures and links stands before it; None otherwise."""
        if self._leading is None or self._first_headings > 1:
            return None
        return " ".join(self._leading.text.split())


def _holds_only_links(block: Block) -> bool:
    """Return True for a paragraph of links, such as badges or those to other languages, and for link definitions."""
    return (
        isinstance(block, ParagraphBlock)
        and any(isinstance(inline, LinkInline) for inline in block.inlines)
        and not any(
            isinstance(inline, TextInline) and any(map(str.isalnum, inline.text)) for inline in block.inlines
        )
    )


def prose_of(block: Block) -> str:
    """Return the running text of a block; empty for code, tables and pictures."""
    if isinstance(block, ListBlock):
        return "\n".join(item.text for item in block.items)
    return block.text if isinstance(block, HeadingBlock | ParagraphBlock | QuoteBlock) else ""


def sample_opening(blocks: Iterator[Block]) -> tuple[Sequence[Block], Iterator[Block]]:
    """Return the first blocks, enough to detect the language, and an iterator over all blocks."""
    opening: list[Block] = []
    chars = 0
    for block in blocks:
        opening.append(block)
        chars += len(prose_of(block))
        if chars > LANGUAGE_SAMPLE_CHARS:
            break
    return opening, chain(opening, blocks)


def language_of(blocks: Iterable[Block]) -> str:
    """Return the language of the first `LANGUAGE_SAMPLE_CHARS` characters of prose, without code."""
    sample = ""
    for block in blocks:
        prose = prose_of(block)
        if prose:
            sample += prose[:LANGUAGE_SAMPLE_CHARS] + "\n"
        if len(sample) > LANGUAGE_SAMPLE_CHARS:
            break
    return detect_language(sample[:LANGUAGE_SAMPLE_CHARS]) if sample else UNDETERMINED_LANG


_MAX_CHARS = 300
"""Longer titles are read as they are."""
_FILE_NAME = (
    r".*\.(?:docx?|docm|dotx?|xlsx?|xlsm|pptx?|ppsx?|potx?|hwpx?|hwt|od[tsp]|rtf|tex|dvi|e?ps|indd|qxd|pub|vsdx?|wpd|sxw|pdf|epub|"
    r"x?html?|txt|tiff?|jpe?g|png|bmp)(?: ?\[.*\])?"
)
_LOCATION = r"(?:[a-z]:[\\/]|\\\\|file:/).+|(?:https?://|about:|/(?=[^/ ]+/))\S+"
_PRINTED = r"(?:microsoft|hancom|libreoffice|openoffice) [\w ]{1,20} - .*"
_UNFILLED = (
    r"\{.*\}|\$\{.*\}|\$\w+\$|%\w+%|<[^<>]*>|<<.*>>|__\w+__|\[[^\[\]]*(?:title|제목|입력)[^\[\]]*\]|"
    r"(?:click|type|enter|insert) [\w ]{0,30}title(?: here)?|제목을 입력\w*"
)
"""Fields in the brackets and signs of templates."""
_SCANNED = (
    r"(?=\S*\d{8})[\x21-\x7e]+|[a-z]{2,5}[-_]?0\d{2,}|"
    r"(?:adobe ?|cam ?)?scan(?:s|ner|ned)?(?: (?:document|image)s?)?(?: ?[a-z]{3,4}(?=[ .]\d))?[\W\d_]*|스캔[\W\d_]*"
)
"""A word with a whole date or a counter, and the word itself."""
_NEW = (
    r"(?:new |새 ?)?(?:untitled|no ?title|제목 ?없(?:음|는)|무제|無題|无标题|document|word document|문서|presentation|프레젠테이션|"
    r"book|workbook|통합 문서|sheet|시트|slide|슬라이드|page|페이지|template|서식|main|index|default|output|title|제목)"
    r"(?:(?: ?document| ?문서| ?page)?[-_ ]?\(?\d{0,3}\)?)?|"
    r"(?:[^\W\d]+ (?:de |do |di )?)?powerpoint[- ]?(?:프레젠테이션|プレゼンテーション|演示文稿|pr[eéäæo]\w{0,3}[sz]\w*)?"
)
"""What programs call something new, in most with a number."""
_NOT_GIVEN = re.compile("|".join((_FILE_NAME, _LOCATION, _PRINTED, _UNFILLED, _SCANNED, _NEW)), re.IGNORECASE)
_NOTHING = re.compile(r"[\W_]*")


def read_given_title(text: str) -> str | None:
    """Return a title of metadata on one line; None for one that says nothing about the document.

    Those are told by their form: a file's name or address, a field of a template, a date or counter as scanners write it, the name of
    a program in front of a file's, and the few words by which programs call something new. A subject of a mail is none of them.
    """
    title = " ".join(text.split())
    if _NOTHING.fullmatch(title):
        return None
    return None if len(title) <= _MAX_CHARS and _NOT_GIVEN.fullmatch(title) else title
