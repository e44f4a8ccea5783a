"""Text of documents as data: nothing in it can pass for an instruction's frame, a passage's header or a marker.

Every line of a passage begins with a bar, so that no line of a document stands where the prompt's own lines stand.
What tokenisers of chat models read as a change of role is broken up by a blank; characters that are not seen, or that
change how others are shown, are left out. Words stay as they are.
"""

from __future__ import annotations

import re
import unicodedata

BAR = "|"
"""What every line of a passage begins with in a prompt."""
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
    """Return a passage's text as lines of a prompt, each behind a bar."""
    return "\n".join(f"{BAR} {line}".rstrip() for line in clean_text(text).split("\n"))


def fence_field(text: str) -> str:
    """Return a name from a document (a path, a heading) as part of one line, without brackets."""
    folded = " ".join(clean_text(text).split())
    return folded.replace("[", "(").replace("]", ")")


def clean_text(text: str) -> str:
    """Return a text without hidden characters and with whatever could pass for a frame broken by a blank."""
    return _ROLE_OPENINGS.sub(lambda match: match[0] + " ", drop_hidden(text))


def drop_hidden(text: str) -> str:
    """Return a text without control, format, private and unassigned characters; line ends become line feeds."""
    plain = _LINE_ENDS.sub("\n", text)
    if plain.isascii() and plain.isprintable():
        return plain
    return "".join(
        char for char in plain if char in _SHOWN_CONTROLS or unicodedata.category(char) not in _HIDDEN
    )
