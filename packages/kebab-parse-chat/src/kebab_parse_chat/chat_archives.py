"""Chats exported as data: JSON of Telegram, Slack, Discord, Messenger, Google Chat and assistants, tables of KakaoTalk and Discord.

What does not look as these programs write it is left out, and never an error: exports have changed before.
"""

from __future__ import annotations

import csv
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from io import StringIO
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kebab_parse import JsonStream, TextPieces

if TYPE_CHECKING:
    from kebab_core import ChatFormat

_SLACK_LINK = re.compile(r"<([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")
_CLOCK = re.compile(
    r"[,\s]*(?:\bat\s+)?(?P<before>(?:(?:오전|오후|午前|午後)\s?)?)(?P<hour>\d{1,2})(?::|시\s?)(?P<minute>\d{1,2})"
    r"(?::\d{2}|분(?:\s?\d{1,2}초)?)?(?P<after>(?:\s?[AaPp]\.?\s?[Mm]\b\.?)?)[^\n]{0,40}$"
)
"""The time at the end of a day with time, as programs write it in many languages."""
_LONGEST_FIELD = 2**31 - 1
_MOST_NAMES = 4
"""Speakers that name a chat without a name."""
_DAY_NUMBERS = 3
TABLES: frozenset[ChatFormat] = frozenset({"kakaotalk-csv", "discord-csv"})
_MESSAGES = "messages.item"
_CHAT = "chats.list.item"
"""Paths of messages, and of chats in an export of all of Telegram."""


class ArchivedMessage(NamedTuple):
    """One message."""

    at: datetime | None
    """As its program shows it: with the offset that the export names, of this machine where it counts seconds; None where it cannot be read."""
    speaker: str
    text: str
    shown: str = ""
    """Day and time as the export writes them, where `at` is None."""

    @property
    def day(self) -> str:
        """Its day; empty where the export names none."""
        if self.at is not None:
            return self.at.date().isoformat()
        return _CLOCK.sub("", self.shown).strip()

    @property
    def time(self) -> str:
        """Its hour and minute; empty where the export names none."""
        if self.at is not None:
            return f"{self.at:%H:%M}"
        found = _CLOCK.search(self.shown)
        if found is None:
            return ""
        return f"{found['before']}{found['hour']}:{found['minute']:0>2}{found['after']}"

    @property
    def date(self) -> date | None:
        """Its day as a date, where its parts cannot be mistaken for each other."""
        from kebab_parse_chat.chat_log import read_day

        if self.at is not None:
            return self.at.date()
        numbers = read_day(self.day)
        try:
            return date(*numbers) if len(numbers) == _DAY_NUMBERS else None
        except ValueError:
            return None


Entry = str | ArchivedMessage
"""The name of a chat, which may be empty, or one of its messages, which follow it in their order."""


def read_archive(form: ChatFormat, content: bytes, names: Mapping[str, str] | None = None) -> Iterator[Entry]:
    """Read the chats of an export as JSON or as a table, as they are taken.

    Args:
        form: A format that is JSON or a table.
        content: The whole file.
        names: Names of users by their ids, of a file beside it.

    Raises:
        UnsupportedMediaError: The content is not text.
        ValueError: It is no JSON, or damaged from here on.
        RecursionError: A value is nested too deeply.
    """
    if form in TABLES:
        return _read_table(TextPieces(content))
    stream = JsonStream(TextPieces(content, end=","))
    if form == "slack":
        return _read_slack(stream, names or {})
    readers = {
        "telegram": _read_telegram,
        "discord": _read_discord,
        "messenger": _read_messenger,
        "google-chat": _read_google_chat,
        "chatgpt": _read_chatgpt,
        "claude": _read_claude,
    }
    return readers[form](stream)


def _read_table(pieces: Iterable[str]) -> Iterator[Entry]:
    csv.field_size_limit(_LONGEST_FIELD)
    # the columns of KakaoTalk on a Mac, with day and time in one, or those of Discord
    lines = (line for piece in pieces for line in StringIO(piece, newline=""))
    for row in csv.DictReader(lines, restkey=""):
        speaker = _text(row.get("User")) or _text(row.get("Author"))
        words = [_text(row.get("Message")) or _text(row.get("Content")), *_list(row, "")]
        parts = (",".join(map(_text, words)), _text(row.get("Attachments")))
        if shown := _text(row.get("Date")):
            yield read_message(shown, speaker.strip(), "\n".join(filter(None, parts)))


def read_slack_names(content: bytes) -> dict[str, str]:
    """Return the names of the users of a Slack export, by their ids.

    Args:
        content: The file `users.json`; of anything else nothing is read.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    users = [_dict(user) for user in data] if isinstance(data, list) else []
    found = (
        (_text(user.get("id")), _name_slack(_dict(user.get("profile"))) or _name_slack(user))
        for user in users
    )
    return {user: name for user, name in found if user and name}


def read_message(shown: str, speaker: str, text: str) -> ArchivedMessage:
    """Make a message of its day and time as the export writes them."""
    return ArchivedMessage(_read_time(shown), speaker, text, shown)


def _read_telegram(stream: JsonStream) -> Iterator[Entry]:
    is_named = False
    for path, value in stream.read((_MESSAGES, f"{_CHAT}.{_MESSAGES}")):
        key = path.removeprefix(_CHAT).removeprefix(".")
        if not key:
            is_named = False
        elif key == "name" and not is_named:
            is_named = True
            yield _text(value)
        elif key == _MESSAGES:
            if not is_named:
                is_named = True
                yield ""
            yield _read_telegram_message(_dict(value))


def _read_telegram_message(each: Mapping[str, object]) -> ArchivedMessage:
    speaker = _text(each.get("from")) or _text(each.get("actor"))
    words = _join_telegram(each.get("text"))
    extras = [_text(each.get(key)) for key in ("action", "title", "file_name", "file", "photo")]
    if each.get("type") != "service":
        extras = extras[2:]
    poll = _dict(each.get("poll"))
    answers = [_text(answer.get("text")) for answer in map(_dict, _list(poll, "answers"))]
    extras += [_text(poll.get("question")), *(f"- {answer}" for answer in answers if answer)]
    shown = "\n".join(part for part in (words, *dict.fromkeys(extras)) if part)
    return read_message(_text(each.get("date")), speaker, shown)


def _join_telegram(text: object) -> str:
    if isinstance(text, list):
        return "".join(part if isinstance(part, str) else _text(_dict(part).get("text")) for part in text)
    return _text(text)


def _read_slack(stream: JsonStream, known: Mapping[str, str]) -> Iterator[Entry]:
    messages: list[ArchivedMessage] = []
    items = [_dict(value) for _, value in stream.read(("item",))]
    own = {
        _text(item.get("user")): name
        for item in items
        if (name := _name_slack(_dict(item.get("user_profile"))))
    }
    names = {**known, **own}
    for item in items:
        at = _read_seconds(item.get("ts"))
        if at is None or item.get("type") != "message":
            continue
        user = _text(item.get("user"))
        speaker = names.get(user) or _text(item.get("username")) or user
        files = [
            _text(file.get("title")) or _text(file.get("name")) for file in map(_dict, _list(item, "files"))
        ]
        parts = [_text(item.get("text"))]
        for each in map(_dict, _list(item, "attachments")):
            parts += [_text(each.get("title")), _text(each.get("text")) or _text(each.get("fallback"))]
        words = _SLACK_LINK.sub(lambda found: _show_slack(found, names), "\n".join(filter(None, parts)))
        messages.append(ArchivedMessage(at, speaker, "\n".join(filter(None, [html.unescape(words), *files]))))
    yield ""
    yield from _in_order(messages)


def _name_slack(profile: Mapping[str, object]) -> str:
    return _text(profile.get("display_name")) or _text(profile.get("real_name")) or _text(profile.get("name"))


def _show_slack(found: re.Match[str], names: Mapping[str, str]) -> str:
    target, shown = found[1], found[2]
    if target.startswith("@"):
        return f"@{names.get(target[1:], shown or target[1:])}"
    if target.startswith(("#", "!")):
        return f"{target[0]}{shown or target[1:]}"
    return f"{shown} ({target})" if shown and shown != target else target


def _read_discord(stream: JsonStream) -> Iterator[Entry]:
    names = {"guild": "", "channel": ""}
    is_named = False
    for path, value in stream.read((_MESSAGES,)):
        if path in names:
            names[path] = _text(_dict(value).get("name"))
        elif path == _MESSAGES:
            if not is_named:
                is_named = True
                yield " / ".join(filter(None, names.values()))
            yield _read_discord_message(_dict(value))


def _read_discord_message(each: Mapping[str, object]) -> ArchivedMessage:
    author = _dict(each.get("author"))
    files = [_text(file.get("fileName")) for file in map(_dict, _list(each, "attachments"))]
    embeds = [
        _text(embed.get(key))
        for embed in map(_dict, _list(each, "embeds"))
        for key in ("title", "description")
    ]
    parts = [_text(each.get("content")), *embeds, *files]
    speaker = _text(author.get("nickname")) or _text(author.get("name"))
    return read_message(_text(each.get("timestamp")), speaker, "\n".join(filter(None, parts)))


def _read_messenger(stream: JsonStream) -> Iterator[Entry]:
    # Instagram and Facebook write each byte of UTF-8 as a character, the newest message first, and the title last
    titles, messages = dict[str, str](), list[ArchivedMessage]()
    for path, value in stream.read((_MESSAGES,)):
        if path != _MESSAGES:
            titles[path] = _repair(value)
            continue
        each = _dict(value)
        share = _dict(each.get("share"))
        parts = [each.get("content"), each.get("text"), share.get("share_text"), share.get("link")]
        milliseconds = each.get("timestamp_ms") or each.get("timestamp")
        seconds = milliseconds / 1000 if isinstance(milliseconds, int) else None
        speaker = _repair(each.get("sender_name")) or _repair(each.get("senderName"))
        messages.append(
            ArchivedMessage(_read_seconds(seconds), speaker, "\n".join(filter(None, map(_repair, parts))))
        )
    yield titles.get("title") or titles.get("threadName") or ""
    yield from _in_order(messages)


def _repair(value: object) -> str:
    """Return a text whose bytes of UTF-8 were written as one character each; any other as it is."""
    text = _text(value)
    try:
        return text.encode("latin-1").decode()
    except UnicodeError:
        return text


def _read_google_chat(stream: JsonStream) -> Iterator[Entry]:
    messages = []
    for path, value in stream.read((_MESSAGES,)):
        each = _dict(value)
        if path == _MESSAGES:
            files = [_text(file.get("original_name")) for file in map(_dict, _list(each, "attached_files"))]
            parts = filter(None, (_text(each.get("text")), *files))
            speaker = _text(_dict(each.get("creator")).get("name"))
            messages.append(read_message(_text(each.get("created_date")), speaker, "\n".join(parts)))
    speakers = filter(None, dict.fromkeys(message.speaker for message in messages))
    yield ", ".join(islice(speakers, _MOST_NAMES))
    yield from messages


def _read_chatgpt(stream: JsonStream) -> Iterator[Entry]:
    # a message that was edited is a branch of its own: the branch in use ends with `current_node`
    for _, value in stream.read(("item",)):
        chat = _dict(value)
        nodes = _dict(chat.get("mapping"))
        key, branch, seen = _text(chat.get("current_node")), list[Mapping[str, object]](), set[str]()
        while key in nodes and key not in seen:
            seen.add(key)
            node = _dict(nodes[key])
            branch.append(_dict(node.get("message")))
            key = _text(node.get("parent"))
        yield _text(chat.get("title"))
        for each in reversed(branch):
            content, author = _dict(each.get("content")), _dict(each.get("author"))
            parts = [*map(_text, _list(content, "parts")), _text(content.get("text"))]
            if author.get("role") != "system":
                at = _read_seconds(each.get("create_time"))
                yield ArchivedMessage(at, _text(author.get("role")), "\n".join(filter(None, parts)))


def _read_claude(stream: JsonStream) -> Iterator[Entry]:
    for _, value in stream.read(("item",)):
        chat = _dict(value)
        yield _text(chat.get("name"))
        for each in map(_dict, _list(chat, "chat_messages")):
            files = [*map(_dict, _list(each, "attachments")), *map(_dict, _list(each, "files"))]
            blocks = [_text(block.get("text")) for block in map(_dict, _list(each, "content"))]
            words = _text(each.get("text")) or "\n".join(filter(None, blocks))
            extras = (_text(file.get(key)) for file in files for key in ("file_name", "extracted_content"))
            parts = filter(None, (words, *extras))
            yield read_message(_text(each.get("created_at")), _text(each.get("sender")), "\n".join(parts))


def _in_order(messages: list[ArchivedMessage]) -> list[ArchivedMessage]:
    """Sort messages by time, those without one first."""
    return sorted(messages, key=lambda message: message.at.timestamp() if message.at else 0.0)


def _dict(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: Mapping[str, object], key: str) -> list[object]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_time(shown: str) -> datetime | None:
    try:
        return datetime.fromisoformat(shown)
    except ValueError:
        return None


def _read_seconds(value: object) -> datetime | None:
    try:
        seconds = float(value) if isinstance(value, str | int | float) else None
        return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
