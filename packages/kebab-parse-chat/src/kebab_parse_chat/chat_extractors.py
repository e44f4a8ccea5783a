"""The extractors `chat-v2`: from the bytes of an exported chat to a document with a paragraph for each message.

The chat program that a file is from is told by its content.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, get_args

from kebab_core import (
    Block,
    CanonicalDocument,
    ChatFormat,
    ChatMedia,
    DocumentDamagedError,
    ExtractContext,
    ExtractedText,
    HeadingBlock,
    LineSpan,
    LongDocument,
    MediaType,
    Message,
    ParserVersion,
    SourceType,
    UnsupportedMediaError,
)
from kebab_parse import (
    NO_TEXT,
    BlockBuilder,
    IsolatedExtractor,
    TextPieces,
    assemble_document,
    build_metadata,
    cut_member,
    identify_document,
    language_of,
    sample_opening,
    split_lines,
)

from kebab_parse_chat.chat_archives import Entry, read_archive
from kebab_parse_chat.chat_log import FORMATS, LogEntry, read_day, read_entries
from kebab_parse_chat.chat_pages import read_page
from kebab_parse_chat.recognition import CHAT_VERSION, find_format, find_page

if TYPE_CHECKING:
    from datetime import date

    from pydantic import JsonValue

_AGENT = "kebab-parse-chat"
_CHAT_LEVEL, _DAY_LEVEL = 1, 2
"""Of headings that are days: below the name of the chat, which is the title where there is one chat only."""
_MARKS = ("", "# ", "## ")
"""Sign of a message and of a heading of either level."""
_LOGS = frozenset(form.app for form in FORMATS)


class ChatLogExtractor:
    """Extractor of chats that are text: KakaoTalk of Windows, Android and iOS, WhatsApp, LINE, Discord and Zoom. Lines are those of the file."""

    def supports(self, media_type: MediaType) -> bool:
        """Return True for chats that are text."""
        return isinstance(media_type, ChatMedia) and media_type.format in _LOGS

    def parser_version(self) -> ParserVersion:
        """Return `chat-v2`."""
        return CHAT_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Spans are `LineSpan`s; a message keeps its lines as they are, and each day is a heading.

        Returns:
            The document. Its title is the first line of an export that names the chat, else the stem of the file's name.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        document = self.extract_long(context, content)
        return document.head.model_copy(update={"blocks": tuple(document.blocks)})

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read one file as `extract` does, with only the bytes whole in memory.

        Returns:
            The document.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        pieces = TextPieces(content)
        form = find_format(content) or FORMATS[0]
        lines = (line for piece in pieces for line in piece.removesuffix("\n").split("\n"))
        entries = read_entries(lines, form)
        first = next(entries, None)
        builder = BlockBuilder(identify_document(context, CHAT_VERSION))
        opening, blocks = sample_opening(_build_blocks(chain([first] if first else [], entries), builder))
        title = first.lines[0] if first is not None and first.kind == "head" else ""
        if not any(map(str.isalnum, title)):
            title = ""
        return assemble_document(
            context,
            parser_version=CHAT_VERSION,
            agent=_AGENT,
            title=title or context.asset.workspace_path.stem,
            lang=language_of(opening),
            facts=build_metadata({}, context=context, default_source_type=SourceType.NOTE),
            warnings=(pieces.warning, None if opening else NO_TEXT),
            blocks=blocks,
        )


def _build_blocks(entries: Iterator[LogEntry], builder: BlockBuilder) -> Iterator[Block]:
    day: tuple[int, ...] = ()
    for entry in entries:
        if entry.day and (own := read_day(entry.day)) != day:
            day = own
            span = LineSpan(start=entry.first_line, end=entry.first_line)
            builder.open_section(_DAY_LEVEL, entry.day)
            yield HeadingBlock(**builder.place("heading", span), level=_DAY_LEVEL, text=entry.day)
        if entry.kind != "day":
            yield builder.plain_paragraph(entry.first_line, entry.text)


class ChatArchiveExtractor(IsolatedExtractor):
    """Extractor of chats that are data: JSON, tables and pages of chat programs, and conversations with assistants."""

    kind = "chat"
    formats = frozenset(get_args(ChatFormat)) - _LOGS
    version = CHAT_VERSION
    agent = _AGENT

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file as `extract_long` does, and return the document whole."""
        return self.extract_long(context, content).take_whole()

    def extract_long(self, context: ExtractContext, content: bytes) -> LongDocument:
        """Read one file. Spans are lines of the text that is written of it: `[speaker] [15:21] words`, below the day.

        Returns:
            The document. Its title is the name of the chat, if the file has one and holds only that chat.

        Raises:
            UnsupportedMediaError: The content is not text.
            DocumentDamagedError: It is not the JSON that it was taken for.
        """
        media = context.asset.media_type
        if not isinstance(media, ChatMedia):
            raise UnsupportedMediaError("no parser takes {media} files", media=media.kind)
        written = _WrittenChats()
        damage: Message | None = None
        try:
            for entry in _read_entries(media.format, context, content):
                written.add(entry)
        except (ValueError, RecursionError) as error:
            if not written.has_messages:
                raise DocumentDamagedError("it is no JSON, or a damaged one") from error
            damage = cut_member("JSON")
        title = written.own_title
        if media.format == "slack":  # a file for each day in the folder of the channel
            path = context.asset.workspace_path
            title = f"{path.rpartition('/')[0].rpartition('/')[2]} {path.stem}".strip()
        opening, blocks = sample_opening(written.blocks(BlockBuilder(self._identify(context))))
        days: dict[str, JsonValue] = {}
        if written.days:
            days = {"created": min(written.days).isoformat(), "updated": max(written.days).isoformat()}
        document = assemble_document(
            context,
            parser_version=self.version,
            agent=self.agent,
            title=title or context.asset.workspace_path.stem,
            lang=language_of(opening),
            facts=build_metadata(days, context=context, default_source_type=SourceType.REFERENCE),
            warnings=(TextPieces(content).warning, damage, None if opening else NO_TEXT),
            blocks=blocks,
        )
        head = document.head.model_copy(update={"text": written.text})
        return LongDocument(head, document.blocks)


def _read_entries(form: ChatFormat, context: ExtractContext, content: bytes) -> Iterator[Entry]:
    page = find_page(content)
    if page is not None and page.app == form:
        return read_page(page, TextPieces(content))
    return read_archive(form, content, context.names)


class _WrittenChats:
    """The lines of chats, kept as texts alone: the blocks of all messages at once would take 25 times as much memory."""

    def __init__(self) -> None:
        self.days: set[date] = set()
        self.has_messages = False
        self._titles: list[str] = []
        self._parts: list[tuple[int, str]] = []
        """Level of a heading, 0 for a message, and its text."""
        self._day = ""

    @property
    def own_title(self) -> str:
        """The name of the chat, where there is only one."""
        return self._titles[0] if len(self._titles) == 1 else ""

    def add(self, entry: Entry) -> None:
        """Add the name of a chat or one of its messages."""
        if isinstance(entry, str):
            self._titles.append(entry)
            self._add(_CHAT_LEVEL, " ".join(" ".join(split_lines(entry)).split()) or "?")
            self._day = ""
        elif entry.text.strip():
            self.has_messages = True
            if entry.day and entry.day != self._day:
                self._day = entry.day
                self._add(_DAY_LEVEL, " ".join(entry.day.split()))
            if (day := entry.date) is not None:
                self.days.add(day)
            speaker = " ".join(entry.speaker.split()).replace("]", ")")
            head = [f"[{part}]" for part in (speaker or (entry.time and "?"), entry.time) if part]
            self._add(0, "\n".join(split_lines(" ".join([*head, entry.text]))))

    @property
    def text(self) -> ExtractedText:
        """The text."""
        return ExtractedText(text="\n".join(f"{_MARKS[level]}{text}\n" for level, text in self._shown()))

    def blocks(self, builder: BlockBuilder) -> Iterator[Block]:
        """Yield the blocks in order."""
        first = 1
        for level, text in self._shown():
            if level:
                builder.open_section(level, text)
                place = builder.place("heading", LineSpan(start=first, end=first))
                yield HeadingBlock(**place, level=level, text=text)
            else:
                yield builder.plain_paragraph(first, text)
            first += text.count("\n") + 2

    def _shown(self) -> Iterator[tuple[int, str]]:
        is_one = len(self._titles) <= 1
        return (part for part in self._parts if not (is_one and part[0] == _CHAT_LEVEL))

    def _add(self, level: int, text: str) -> None:
        self._parts.append((level, text))
