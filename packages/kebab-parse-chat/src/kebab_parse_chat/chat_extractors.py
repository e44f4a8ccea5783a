"""The extractors `chat-v2`: from the bytes of an exported chat to a document with a paragraph for each message.

The chat program that a file is from is told by its content.
"""

from __future__ import annotations

import json
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
    HeadingBlock,
    LineSpan,
    LongDocument,
    MediaType,
    ParserVersion,
    SourceType,
    UnsupportedMediaError,
)
from kebab_parse import (
    NO_TEXT,
    BlockBuilder,
    IsolatedExtractor,
    TextPieces,
    TextWriter,
    assemble_document,
    build_metadata,
    decode_text,
    identify_document,
    language_of,
    sample_opening,
)

from kebab_parse_chat.chat_archives import Room, read_archive, read_table
from kebab_parse_chat.chat_log import FORMATS, LogEntry, read_day, read_entries
from kebab_parse_chat.chat_pages import read_page
from kebab_parse_chat.recognition import CHAT_VERSION, find_format, find_page

if TYPE_CHECKING:
    from pydantic import JsonValue

_AGENT = "kebab-parse-chat"
_DAY_LEVEL = 2
"""Of headings that are days: below the name of the chat, which is the title where there is one chat only."""
_TABLES = frozenset({"kakaotalk-csv", "discord-csv"})
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
        """Read one file. Spans are lines of the text that is written of it: `[speaker] [15:21] words`, below the day.

        Returns:
            The document. Its title is the name of the chat, if the file has one and holds only that chat.

        Raises:
            UnsupportedMediaError: The content is not text.
            DocumentDamagedError: It is not the JSON that it was taken for.
        """
        decoded = decode_text(content)
        rooms = _read_rooms(context, decoded.text, content)
        writer = TextWriter(self._identify(context))
        is_one = len(rooms) == 1
        for room in rooms:
            if not is_one:
                writer.heading(1, room.title or "?")
            _write_room(writer, room)
        values: dict[str, JsonValue] = {}
        dates = (message.date for room in rooms for message in room.messages)
        days = [day.isoformat() for day in dates if day is not None]
        if days:
            values |= {"created": min(days), "updated": max(days)}
        return self._build(
            context,
            writer.blocks,
            writer.finish(),
            values=values,
            own_title=rooms[0].title if is_one else "",
            warnings=[decoded.warning],
        )


def _read_rooms(context: ExtractContext, text: str, content: bytes) -> list[Room]:
    media = context.asset.media_type
    if not isinstance(media, ChatMedia):
        raise UnsupportedMediaError("no parser takes {media} files", media=media.kind)
    if (page := find_page(content)) is not None and page.app == media.format:
        return [read_page(page, text)]
    if media.format in _TABLES:
        return [read_table(text)]
    try:
        rooms = read_archive(media.format, json.loads(text), context.names)
    except (ValueError, RecursionError) as error:
        raise DocumentDamagedError("it is no JSON, or a damaged one") from error
    if media.format == "slack":  # a file for each day in the folder of the channel
        path = context.asset.workspace_path
        channel = path.rpartition("/")[0].rpartition("/")[2]
        return [room._replace(title=f"{channel} {path.stem}".strip()) for room in rooms]
    return rooms


def _write_room(writer: TextWriter, room: Room) -> None:
    day = ""
    for message in room.messages:
        if not message.text.strip():
            continue
        if message.day and message.day != day:
            day = message.day
            writer.heading(_DAY_LEVEL, day)
        speaker = " ".join(message.speaker.split()).replace("]", ")")
        head = [f"[{part}]" for part in (speaker or (message.time and "?"), message.time) if part]
        writer.paragraph(" ".join([*head, message.text]))
