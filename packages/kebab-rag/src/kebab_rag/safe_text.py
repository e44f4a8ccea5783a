"""Untrusted text made safe: text of documents for prompts, text of models for screens.

In a prompt, nothing in a document can pass for an instruction, for the header of a passage or for a marker. Every line
of a passage begins with a bar. A blank breaks up what tokenisers of chat models read as a change of role. Hidden
characters, and those that change how others are shown, are removed. Words stay as they are.

On a screen, nothing that a model wrote moves the cursor, changes the writing direction or hides text. A model can
repeat whatever a document holds, escape sequences included.
"""

from __future__ import annotations

import re
import unicodedata

BAR = "|"
"""Beginning of every line of a passage in a prompt."""
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_SHOWN_CONTROLS = frozenset("\n\t")
_LINE_ENDS = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_ROLE_OPENINGS = re.compile(
    r"(?i)(<)(?=\|)"
    r"|(\|)(?=>)"
    r"|(<)(?=/?(?:s|bos|eos|pad|unk|think|system|user|assistant|human|model|tool|context|instructions?|evidence"
    r"|start_of_turn|end_of_turn|begin_of_text|end_of_text|start_header_id|end_header_id|eot_id)\s*>)"
    r"|(<)(?=</?sys>>)"
    r"|(\[)(?=/?(?:inst|system_prompt|available_tools|tool_calls|tool_results)\])"
    r"|(\[)(?=\s*[#＃﹟])"
    r"|(｜)(?=>)"
    r"|(<)(?=｜)"
)


def fence_text(text: str) -> str:
    """Return the text of a passage as lines of a prompt, each after a bar."""
    return "\n".join(f"{BAR} {line}".rstrip() for line in clean_text(text).split("\n"))


def fence_field(text: str) -> str:
    """Return a path or heading as part of one line of a prompt, its brackets made round."""
    folded = " ".join(clean_text(text).split())
    return folded.replace("[", "(").replace("]", ")")


def clean_text(text: str) -> str:
    """Return a text without hidden characters, and with a blank inside all that could pass for a role or marker."""
    return _ROLE_OPENINGS.sub(lambda match: match[0] + " ", drop_hidden(text))


def drop_hidden(text: str) -> str:
    """Return a text without control, format, private and unassigned characters; line ends become line feeds."""
    plain = _LINE_ENDS.sub("\n", text)
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(
        char for char in plain if char in _SHOWN_CONTROLS or unicodedata.category(char) not in _HIDDEN
    )


_UNUSUAL_LINE_ENDS = re.compile("[\x0b\x0c\x85\u2028\u2029]")
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0d-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def make_showable(text: str) -> str:
    """Return a text without control, bidirectional and tag characters; line separators become line feeds.

    Each character is handled alone, so the pieces of a stream may be passed one by one.
    """
    return _UNPRINTABLE.sub("", _UNUSUAL_LINE_ENDS.sub("\n", text))
