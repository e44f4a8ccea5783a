"""Exported chats as JSON that are long, or break off."""

from __future__ import annotations

import json
import tracemalloc

from kebab_core import ChatMedia, CodeMedia
from kebab_parse_chat import ChatArchiveExtractor, find_chat
from kebab_testing.documents import make_context

MESSAGE = {"id": 1, "type": "message", "date": "2026-03-13T15:21:05", "from": "Mia", "text": "see you " * 9}
TELEGRAM = {"name": "Trip", "type": "private_group", "id": 1, "messages": [MESSAGE] * 10_000}


def test_an_export_that_breaks_off_is_read_as_far_as_it_goes_and_says_so() -> None:
    content = json.dumps({**TELEGRAM, "messages": [MESSAGE] * 3}).encode()[:-20]
    media = find_chat(CodeMedia(lang="json"), content)
    assert media == ChatMedia(format="telegram")
    document = ChatArchiveExtractor().extract(make_context(content, path="a.json", media_type=media), content)
    assert len(document.blocks) == 3  # a day and two messages
    assert [str(each) for each in document.provenance.warnings] == [
        "JSON in it is damaged and was read as far as it goes"
    ]


def test_a_long_export_is_taken_with_little_more_memory_than_its_text() -> None:
    content = json.dumps(TELEGRAM).encode()
    context = make_context(content, path="chats/export.json", media_type=ChatMedia(format="telegram"))
    tracemalloc.start()
    try:
        blocks = sum(1 for _ in ChatArchiveExtractor().extract_long(context, content).blocks)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert blocks == 10_001
    assert peak < 5 * len(content)
