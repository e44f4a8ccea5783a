from __future__ import annotations

import json
import unicodedata

from hypothesis import given, strategies as st
from kebab_parse import decode_escapes, decode_references, normalize_text
from kebab_testing.tables import walk


@walk(
    ("written", "shown"),
    [
        (r'{"a": "\ud68c\uC758\ub85d"}', '{"a": "회의록"}'),
        (r'"\ud83d\ude00 \U0001F600"', '"😀 😀"'),
        (r'"\\ud68c"', r'"\\ud68c"'),
        (r'"\\\ud68c"', r'"\\회"'),
        (r'"one\ntwo\u000athree"', r'"one\ntwo\u000athree"'),
        (r'"\u0022 \u005c \u0000 \u2028"', r'"\u0022 \u005c \u0000 \u2028"'),
        (r'"\ud83d alone, \ude00 alone"', r'"\ud83d alone, \ude00 alone"'),
        (r'"caf\u0065\u0301"', '"café"'),
        (r'"\u1112\u1161\u11ab"', '"한"'),
        (r'"don\u0027t \u003cTom \u0026 Jerry\u003e"', '"don\'t <Tom & Jerry>"'),
        (r'"a\u00a0b"', '"a\N{NO-BREAK SPACE}b"'),
        (r'"\u12" \U99999999 \user', r'"\u12" \U99999999 \user'),
    ],
)
def test_escapes_become_the_characters_that_they_stand_for(written, shown):
    assert decode_escapes(written) == shown


@given(st.text())
def test_escaped_text_keeps_its_lines_and_its_value(value):
    written = json.dumps({"value": value}, indent=1)
    shown = decode_escapes(written)
    assert shown.count("\n") == written.count("\n")
    assert unicodedata.normalize("NFC", json.loads(shown)["value"]) == unicodedata.normalize(
        "NFC", normalize_text(value) if value.startswith("\ufeff") else value
    )


@walk(
    ("written", "shown"),
    [
        ("<a>&#54924;&#xC758;</a>", "<a>회의</a>"),
        ("&lt;&#60;&#x3C;&#10;&#1114112;&#0;", "&lt;&#60;&#x3C;&#10;&#1114112;&#0;"),
    ],
)
def test_references_become_the_characters_that_they_stand_for(written, shown):
    assert decode_references(written) == shown
