"""The chat program that a file is from, told by its content."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING

from kebab_core import (
    ChatFormat,
    ChatMedia,
    CodeMedia,
    MediaType,
    OfficeMedia,
    ParserVersion,
    TextMedia,
    UnsupportedMediaError,
)

if TYPE_CHECKING:
    from kebab_parse_chat.chat_log import LogFormat

CHAT_VERSION = ParserVersion("chat-v1")
_HEAD_BYTES = 1 << 16
_HEAD_LINES = 300
_EARLY_LINES = 6
"""Lines with text within which an export begins to say who wrote when."""
_TITLE = re.compile(
    r".{0,200}카카오톡 대화\s*$|KakaoTalk Chats? with .|저장한 날짜 ?: ?\d|(?:Date Saved|Saved on) ?: ?\S",
    re.IGNORECASE,
)
_LEAST_MESSAGES, _LEAST_SHARE = 3, 0.3
"""Messages of a text without a title that says what it is, and the share of its lines that begin one or name a day.

Of a text with nothing but such lines two are enough."""
_LOG_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "critical"})
_TABLE_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\"?Date\"?,\"?User\"?,\"?Message\"?\r?\n")
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
)
"""Text near the beginning of exports as JSON."""


def find_chat(named: MediaType, content: bytes) -> ChatMedia | None:
    """Return the medium of an exported chat; None where the file is none.

    Args:
        named: The medium that its name stands for; only text, CSV and JSON are looked into.
        content: The whole file.
    """
    match named:
        case TextMedia():
            form = find_format(content)
            return None if form is None else ChatMedia(format=form.app)
        case OfficeMedia(format="csv"):
            return ChatMedia(format="kakaotalk-csv") if _TABLE_HEAD.match(content) else None
        case CodeMedia(lang="json"):
            return _find_archive(content)
    return None


def may_be_chat(named: MediaType) -> bool:
    """Return True for media by name that `find_chat` looks into."""
    match named:
        case TextMedia() | OfficeMedia(format="csv") | CodeMedia(lang="json"):
            return True
    return False


def find_format(content: bytes) -> LogFormat | None:
    """Return how the messages of a text are written; None where it is no chat."""
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
    is_titled = any(_TITLE.match(line.strip().lstrip("\ufeff")) for line in lines[:_EARLY_LINES])
    return next((form for form in FORMATS if _is_chat(lines, form, is_titled=is_titled)), None)


def _is_chat(lines: list[str], form: LogFormat, *, is_titled: bool) -> bool:
    from kebab_parse_chat.chat_log import read_line

    read = [read_line(line, form) for line in lines]
    messages = [line for line in read if line.kind == "message"]
    if not messages or all(line.speaker.strip().casefold() in _LOG_LEVELS for line in messages):
        return False
    if is_titled and form.app == "kakaotalk":
        return True
    known = [line for line in read if line.kind != "more"]
    is_early = any(line.kind != "more" for line in islice(read, _EARLY_LINES))
    has_day = not form.has_day_lines or any(line.kind == "day" for line in read)
    is_dense = len(known) >= _LEAST_SHARE * len(read)
    is_short = len(known) == len(read) > 1
    return is_early and has_day and is_dense and (is_short or len(messages) >= _LEAST_MESSAGES)


def _find_archive(content: bytes) -> ChatMedia | None:
    from kebab_parse_chat.chat_archives import read_archive

    head = content[:_HEAD_BYTES]
    for form, signs in _JSON_SIGNS:
        if all(sign.search(head) for sign in signs):
            try:
                rooms = read_archive(form, json.loads(content))
            except (ValueError, RecursionError):
                return None
            return ChatMedia(format=form) if any(room.messages for room in rooms) else None
    return None
