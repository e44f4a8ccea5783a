"""The chat program that a file is from, told by its content."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import (
    ChatFormat,
    ChatMedia,
    CodeMedia,
    HtmlMedia,
    MediaType,
    OfficeMedia,
    ParserVersion,
    TextMedia,
    UnsupportedMediaError,
    WorkspacePath,
)

if TYPE_CHECKING:
    from kebab_parse_chat.chat_log import LogFormat
    from kebab_parse_chat.chat_pages import PageFormat

CHAT_VERSION = ParserVersion("chat-v2")
_HEAD_BYTES = 1 << 16
_HEAD_LINES = 300
_EARLY_LINES = 6
"""Lines with text within which an export begins to say who wrote when."""
_LEAST_MESSAGES, _LEAST_SHARE = 3, 0.3
"""Messages of a text without a title that says what it is, and the share of its lines that begin one or name a day.

Of a text with nothing but such lines two are enough."""
_SLACK_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\.json")
_LOG_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical"})
_TABLES: tuple[tuple[ChatFormat, re.Pattern[bytes]], ...] = (
    ("kakaotalk-csv", re.compile(rb'(?:\xef\xbb\xbf)?"?Date"?,"?User"?,"?Message"?\r?\n')),
    ("discord-csv", re.compile(rb'(?:\xef\xbb\xbf)?"?AuthorID"?,"?Author"?,"?Date"?,"?Content"?[,\r\n]')),
)
"""The first line of exports as tables."""
_JSON_SIGNS: tuple[tuple[ChatFormat, tuple[re.Pattern[bytes], ...]], ...] = (
    (
        "telegram",
        (
            re.compile(
                rb'"(?:personal_chat|bot_chat|saved_messages|(?:private|public)_(?:super)?(?:group|channel))"'
            ),
        ),
    ),
    ("discord", (re.compile(rb'"guild"\s*:\s*\{'), re.compile(rb'"channel"\s*:\s*\{'))),
    (
        "slack",
        (
            re.compile(rb"^\s*\[\s*\{"),
            re.compile(rb'"type"\s*:\s*"message"'),
            re.compile(rb'"ts"\s*:\s*"\d+\.\d+"'),
        ),
    ),
    (
        "messenger",
        (
            re.compile(rb'"participants"\s*:\s*\['),
            re.compile(rb'"sender_?[Nn]ame"\s*:'),
            re.compile(rb'"timestamp(?:_ms)?"\s*:\s*\d{12,14}\b'),
        ),
    ),
    (
        "google-chat",
        (
            re.compile(rb'"messages"\s*:\s*\['),
            re.compile(rb'"creator"\s*:\s*\{'),
            re.compile(rb'"created_date"\s*:'),
        ),
    ),
    (
        "chatgpt",
        (
            re.compile(rb"^\s*\[\s*\{"),
            re.compile(rb'"mapping"\s*:\s*\{'),
            re.compile(rb'"author"\s*:\s*\{\s*"role"'),
        ),
    ),
    (
        "claude",
        (re.compile(rb"^\s*\[\s*\{"), re.compile(rb'"uuid"\s*:'), re.compile(rb'"chat_messages"\s*:\s*\[')),
    ),
)
"""Text near the beginning of exports as JSON."""


def find_chat(named: MediaType, content: bytes) -> ChatMedia | None:
    """Return the medium of an exported chat; None where the file is none.

    Args:
        named: The medium that its name stands for; only text, CSV, JSON and HTML are looked into.
        content: The whole file.
    """
    match named:
        case TextMedia():
            form = find_format(content)
            return None if form is None else ChatMedia(format=form.app)
        case OfficeMedia(format="csv"):
            return _find_table(content)
        case CodeMedia(lang="json"):
            return _find_archive(content)
        case HtmlMedia():
            page = find_page(content)
            return None if page is None or not _is_chat_page(page, content) else ChatMedia(format=page.app)
    return None


def may_be_chat(named: MediaType) -> bool:
    """Return True for media by name that `find_chat` looks into."""
    match named:
        case TextMedia() | OfficeMedia(format="csv") | CodeMedia(lang="json") | HtmlMedia():
            return True
    return False


def find_page(content: bytes) -> PageFormat | None:
    """Return the format of a chat that is a page of HTML; None where it is none."""
    from kebab_parse_chat.chat_pages import PAGES

    return next((page for page in PAGES if page.sign.search(content)), None)


def find_names(path: WorkspacePath) -> WorkspacePath | None:
    """Return the path of the file that has the names of the users of a chat: of a day of Slack `users.json` above its channel; None for others."""
    channel, _, name = path.rpartition("/")
    if not channel or not _SLACK_DAY.fullmatch(name):
        return None
    export = channel.rpartition("/")[0]
    return WorkspacePath(f"{export}/users.json" if export else "users.json")


def find_format(content: bytes) -> LogFormat | None:
    """Return the format of a chat that is text; None where it is none."""
    from kebab_parse import decode_text

    from kebab_parse_chat.chat_log import FORMATS

    head = content[:_HEAD_BYTES]
    if len(content) > _HEAD_BYTES:
        head = head[: head.rfind(b"\n") + 1]
    try:
        text = decode_text(head).text
    except UnsupportedMediaError:
        return None
    lines = [line for line in text.splitlines() if line.strip()][:_HEAD_LINES]
    return next((form for form in FORMATS if _is_chat(lines, form)), None)


def _is_chat(lines: list[str], form: LogFormat) -> bool:
    from kebab_parse_chat.chat_log import read_line

    read = [read_line(line, form) for line in lines]
    messages = [line for line in read if line.kind == "message"]
    if not messages or all(line.speaker.strip().casefold() in _LOG_LEVELS for line in messages):
        return False
    if form.title is not None:
        first = (line.strip().lstrip("\ufeff") for line in lines[:_EARLY_LINES])
        is_titled = any(map(form.title.match, first))
        if is_titled or form.needs_title:
            return is_titled
    known = [line for line in read if line.kind != "more"]
    is_early = any(line.kind != "more" for line in islice(read, _EARLY_LINES))
    has_day = not form.needs_day or any(line.kind == "day" for line in read)
    is_dense = len(known) >= _LEAST_SHARE * len(read)
    is_short = len(known) == len(read) > 1
    return is_early and has_day and is_dense and (is_short or len(messages) >= _LEAST_MESSAGES)


def _is_chat_page(page: PageFormat, content: bytes) -> bool:
    from kebab_parse import TextPieces

    from kebab_parse_chat.chat_pages import read_page

    try:
        return any(not isinstance(entry, str) for entry in read_page(page, TextPieces(content)))
    except UnsupportedMediaError:
        return False


def _find_table(content: bytes) -> ChatMedia | None:
    form = next((form for form, head in _TABLES if head.match(content)), None)
    return None if form is None or not _has_messages(form, content) else ChatMedia(format=form)


def _find_archive(content: bytes) -> ChatMedia | None:
    head = content[:_HEAD_BYTES]
    form = next((form for form, signs in _JSON_SIGNS if all(sign.search(head) for sign in signs)), None)
    return None if form is None or not _has_messages(form, content) else ChatMedia(format=form)


def _has_messages(form: ChatFormat, content: bytes) -> bool:
    """Return True for a file with a message; it is read as far as the first."""
    from kebab_parse_chat.chat_archives import ArchivedMessage, read_archive

    try:
        return any(
            isinstance(entry, ArchivedMessage) and entry.text.strip() and (entry.at or entry.shown)
            for entry in read_archive(form, content)
        )
    except (ValueError, RecursionError, UnsupportedMediaError):
        return False
