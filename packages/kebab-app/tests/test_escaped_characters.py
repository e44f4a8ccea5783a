r"""Words that data files write as escapes: found, and their addresses open to text with these words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kebab_core import FetchAddress, SearchQuery
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Base

WORD = "느티나무"
ESCAPED = json.dumps(WORD)


@walk(
    ("path", "text"),
    [
        ("notes.json", f'{{\n "title": "x",\n "place": {ESCAPED}\n}}\n'),
        ("notes.jsonl", f'{{"n": 1}}\n{{"n": 2}}\n{{"place": {ESCAPED}}}\n'),
        ("notes.yaml", f"a: 1\nb: 2\nplace: {ESCAPED}\n"),
        ("notes.toml", f"a = 1\nb = 2\nplace = {ESCAPED}\n"),
        ("app.properties", f"a=1\nb=2\nplace={ESCAPED[1:-1]}\n"),
        ("notes.xml", "<a>\n<b/>\n<place>&#45712;&#xD2F0;&#45208;&#47924;</place>\n</a>\n"),
    ],
)
def test_word_written_as_escapes_is_found_and_opens(base: Base, path: str, text: str) -> None:
    base.write(path, text)
    base.ingest()
    (hit,) = base.app.search(SearchQuery(text=WORD)).hits
    assert (hit.doc_path, WORD in hit.snippet) == (path, True)
    assert WORD in (base.app.fetch(FetchAddress(address=hit.citation.to_address())).text or "")
    line = base.app.fetch(FetchAddress(address=f"{path}#L3"))
    assert WORD in (line.text or "")
    (base.root / path).unlink()


def test_word_after_an_escaped_line_end_is_found(base: Base) -> None:
    base.write("notes.json", r'{"text": "one\nwonder\t느티나무"}')
    base.ingest()
    for word in ("wonder", "느티나무"):
        response = base.app.search(SearchQuery(text=word))
        assert [hit.doc_path for hit in response.hits] == ["notes.json"]
        assert not response.unknown_words
