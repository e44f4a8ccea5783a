"""Chats exported as data: JSON of Telegram, Slack and Discord, and the table that KakaoTalk writes on a Mac.

What does not look as these programs write it is left out, and never an error: exports have changed before.
"""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kebab_core import ChatFormat

_SLACK_LINK = re.compile(r"<([^<>|\n]{1,2000})(?:\|([^<>\n]{0,2000}))?>")


class ArchivedMessage(NamedTuple):
    """One message."""

    at: datetime
    """As its program shows it: with the offset that the export names, of this machine where it counts seconds."""
    speaker: str
    text: str


class Room(NamedTuple):
    """A chat, in the order of its messages."""

    title: str
    messages: list[ArchivedMessage]


def read_archive(form: ChatFormat, data: object) -> list[Room]:
    """Read the chats of an export as JSON.

    Args:
        form: `telegram`, `slack` or `discord`.
        data: The decoded file.
    """
    readers = {"telegram": _read_telegram, "slack": _read_slack, "discord": _read_discord}
    return list(readers[form](data))


def read_table(text: str) -> Room:
    """Read the table of the Mac: day with time, user and message in each row."""
    rows = csv.reader(StringIO(text.removeprefix("\ufeff")))
    next(rows, None)
    found = (
        ArchivedMessage(at, row[1].strip(), ",".join(row[2:]))
        for row in rows
        if len(row) > 1 and (at := _read_time(row[0]))
    )
    return Room("", list(found))


def _read_telegram(data: object) -> Iterator[Room]:
    own = _list(_dict(data), "messages")
    chats = [_dict(data)] if own else [_dict(chat) for chat in _list(_dict(_dict(data).get("chats")), "list")]
    for chat in chats:
        messages = []
        for each in map(_dict, _list(chat, "messages")):
            if at := _read_time(each.get("date")):
                speaker = _text(each.get("from")) or _text(each.get("actor"))
                words = _join_telegram(each.get("text"))
                extras = [_text(each.get(key)) for key in ("action", "title", "file_name", "file", "photo")]
                if each.get("type") != "service":
                    extras = extras[2:]
                poll = _dict(each.get("poll"))
                answers = [_text(answer.get("text")) for answer in map(_dict, _list(poll, "answers"))]
                extras += [_text(poll.get("question")), *(f"- {answer}" for answer in answers if answer)]
                shown = "\n".join(part for part in (words, *dict.fromkeys(extras)) if part)
                messages.append(ArchivedMessage(at, speaker, shown))
        yield Room(_text(chat.get("name")), messages)


def _join_telegram(text: object) -> str:
    if isinstance(text, list):
        return "".join(part if isinstance(part, str) else _text(_dict(part).get("text")) for part in text)
    return _text(text)


def _read_slack(data: object) -> Iterator[Room]:
    messages: list[ArchivedMessage] = []
    items = [_dict(item) for item in data] if isinstance(data, list) else []
    names = {_text(item.get("user")): name for item in items if (name := _name_slack(item))}
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
    messages.sort(key=lambda message: message.at)
    yield Room("", messages)


def _name_slack(item: Mapping[str, object]) -> str:
    profile = _dict(item.get("user_profile"))
    return _text(profile.get("display_name")) or _text(profile.get("real_name")) or _text(profile.get("name"))


def _show_slack(found: re.Match[str], names: Mapping[str, str]) -> str:
    target, shown = found[1], found[2]
    if target.startswith("@"):
        return f"@{names.get(target[1:], shown or target[1:])}"
    if target.startswith(("#", "!")):
        return f"{target[0]}{shown or target[1:]}"
    return f"{shown} ({target})" if shown and shown != target else target


def _read_discord(data: object) -> Iterator[Room]:
    channel, guild = _dict(_dict(data).get("channel")), _dict(_dict(data).get("guild"))
    messages = []
    for each in map(_dict, _list(_dict(data), "messages")):
        at = _read_time(each.get("timestamp"))
        if at is None:
            continue
        author = _dict(each.get("author"))
        files = [_text(file.get("fileName")) for file in map(_dict, _list(each, "attachments"))]
        embeds = [
            _text(embed.get(key))
            for embed in map(_dict, _list(each, "embeds"))
            for key in ("title", "description")
        ]
        parts = [_text(each.get("content")), *embeds, *files]
        speaker = _text(author.get("nickname")) or _text(author.get("name"))
        messages.append(ArchivedMessage(at, speaker, "\n".join(filter(None, parts))))
    title = " / ".join(filter(None, (_text(guild.get("name")), _text(channel.get("name")))))
    yield Room(title, messages)


def _dict(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _list(value: Mapping[str, object], key: str) -> list[object]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _read_time(value: object) -> datetime | None:
    try:
        return datetime.fromisoformat(_text(value))
    except ValueError:
        return None


def _read_seconds(value: object) -> datetime | None:
    try:
        return datetime.fromtimestamp(float(_text(value)), tz=UTC).astimezone()
    except (ValueError, OverflowError, OSError):
        return None
