"""Chats exported as pages: HTML of Telegram and Discord."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from itertools import chain
from typing import Literal, NamedTuple

from kebab_core import ChatFormat
from kebab_parse import VOID_ELEMENTS

from kebab_parse_chat.chat_archives import ArchivedMessage, Entry, read_message

Role = Literal["message", "group", "event", "title", "speaker", "time", "text", "quoted", "skipped", ""]
_BREAKS = frozenset({"br", "p", "div", "li", "tr", "blockquote", "pre"})
_HIDDEN = frozenset({"script", "style"})
_DOTTED_TIME = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d:\d\d).*", re.DOTALL)
_MOST_OPEN = 2000
"""Open elements from which on no more are opened."""
_DAY_ID = "message-"
"""Beginning of the ids of what Telegram writes where another day begins; the days are those of the messages."""


class PageFormat(NamedTuple):
    """A chat program's pages: roles of elements by their class; text of a `skipped` one is left out."""

    app: ChatFormat
    sign: re.Pattern[bytes]
    """Text of a page of the program."""
    roles: Mapping[str, Role]


PAGES = (
    PageFormat(
        "telegram-html",
        re.compile(rb'class="page_body chat_page"'),
        {
            "message": "message",
            "service": "event",
            "page_header": "title",
            "from_name": "speaker",
            "date": "time",
            "text": "text",
            "title": "text",
            "description": "text",
            "forwarded": "quoted",
            "userpic_wrap": "skipped",
            "reply_to": "skipped",
            "page_footer": "skipped",
        },
    ),
    PageFormat(
        "discord-html",
        re.compile(rb'class="?[^"<>]{0,80}\bchatlog__message'),
        {
            "chatlog__message-group": "group",
            "chatlog__message": "message",
            "preamble__entry": "title",
            "chatlog__author": "speaker",
            "chatlog__author-name": "speaker",
            "chatlog__timestamp": "time",
            "chatlog__short-timestamp": "time",
            "chatlog__content": "text",
            "chatlog__attachment": "text",
            "chatlog__embed-title": "text",
            "chatlog__embed-description": "text",
            "chatlog__system-notification-content": "text",
            "chatlog__reference": "skipped",
            "chatlog__reply": "skipped",
            "chatlog__edited-timestamp": "skipped",
            "chatlog__reactions": "skipped",
        },
    ),
)


def read_page(form: PageFormat, pieces: Iterable[str]) -> Iterator[Entry]:
    """Read the chat of a page.

    Yields:
        Its name and its messages, as they are taken. A message without a speaker is of the one who wrote the message before it.
    """
    reader = _PageReader(form.roles)
    is_named = False
    for piece in chain(pieces, [""]):
        reader.feed(piece)
        if not piece:
            reader.close()
            reader.end_message()
        if reader.messages and not is_named:
            is_named = True
            yield " / ".join(" ".join(part.split()) for part in reader.titles if part.strip())
        yield from reader.messages
        reader.messages.clear()


class _PageReader(HTMLParser):
    """Reads messages; the role of a text is that of the innermost element around it that has one."""

    def __init__(self, roles: Mapping[str, Role]) -> None:
        super().__init__(convert_charrefs=True)
        self.messages: list[ArchivedMessage] = []
        self.titles: list[str] = []
        self._roles = roles
        self._open: list[tuple[str, Role]] = []
        self._counts: Counter[str] = Counter()
        """Of open elements, by tag and by role."""
        self._speaker = self._time = ""
        self._text: list[str] | None = None
        """Of the message in hand; None where there is none."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element; its role is that of the last of its classes that has one, else that of the element around it."""
        values = {name: value or "" for name, value in attrs}
        outer = self._role
        if tag == "img" and outer == "text":
            self._add(values.get("alt", ""))
        if tag in _BREAKS and outer in {"text", "event"}:
            self._add("\n")
        if tag in VOID_ELEMENTS or len(self._open) >= _MOST_OPEN:
            return
        names = () if outer in {"title", "skipped"} else values.get("class", "").split()
        known = [self._roles[name] for name in names if name in self._roles]
        if known:
            self._begin(known[-1], values)
        role: Role = "skipped" if tag in _HIDDEN else known[-1] if known else outer
        self._open.append((tag, role))
        self._counts.update((f"<{tag}>", role))

    def handle_endtag(self, tag: str) -> None:
        """Close an element, and those in it that are still open."""
        name = ""
        while self._counts[f"<{tag}>"] and name != tag:
            name, role = self._open.pop()
            self._counts.subtract((f"<{name}>", role))

    def handle_data(self, data: str) -> None:
        """Add a text to what its role says."""
        role = self._role
        if role == "title":
            self.titles[-1] += data
        elif role in {"text", "event"} or (role == "speaker" and self._is_quoted):
            self._add(data)
        elif role == "speaker":
            self._speaker += data
        elif role == "time" and not self._is_quoted:
            self._time = self._time or data.strip()

    def end_message(self) -> None:
        """End the message in hand."""
        lines = (" ".join(line.split()) for line in "".join(self._text or ()).split("\n"))
        if text := "\n".join(line for line in lines if line):
            shown = _DOTTED_TIME.sub(r"\3-\2-\1 \4", self._time)
            self.messages.append(read_message(shown, " ".join(self._speaker.split()), text))
        self._text = None

    @property
    def _role(self) -> Role:
        return self._open[-1][1] if self._open else ""

    @property
    def _is_quoted(self) -> bool:
        return self._counts["quoted"] > 0

    def _begin(self, role: Role, values: Mapping[str, str]) -> None:
        if role in {"group", "message", "event"}:
            self.end_message()
            if role != "message":
                self._speaker = self._time = ""
            is_day = values.get("id", "").startswith(_DAY_ID)
            self._text = None if role == "group" or is_day else []
        elif role == "title":
            self.titles.append("")
        elif role == "text":
            self._add("\n")
        elif self._is_quoted:
            return
        elif role == "speaker":
            self._speaker = ""
        elif role == "time":
            self._time = values.get("title", "")

    def _add(self, data: str) -> None:
        if self._text is not None:
            self._text.append(data)
