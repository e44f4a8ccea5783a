"""Macros of C and C++ that hold attributes or nothing, such as `EXPORT`: the grammars have no place for them.

They are told by where they stand and, where a type or a name may stand too, by being written like macros.
"""

from __future__ import annotations

import re

_ARGUMENTS = rb"\((?:[^()]|\([^()]{0,99}\)){0,199}+\)"
_NAME = rb"(?<![\w#\"'<.:>])(?:[A-Z][A-Z0-9_]++|_[A-Za-z0-9_]++)"
_CALL = rb"%b(?:[ \t]*+%b)?+" % (_NAME, _ARGUMENTS)
_TYPE_WORDS = (
    rb"(?:auto|bool|char|class|constexpr|double|enum|explicit|extern|float|inline|int|long|short|signed|static|struct|"
    rb"template|typedef|union|unsigned|using|virtual|void)\b"
)
"""What a declaration may begin with, and no type that is written like a macro stands in front of."""
_SKIPPED = (
    rb"(?P<directive>^[ \t]*+#(?:[^\n\\]|\\[^\n]|\\\n)*+)|"
    rb"(?P<text>//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+|\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)++')"
)
"""Directives, comments and literals."""
_OF_TYPE = (
    rb"(?P<key>\b(?:(?P<enum>enum(?:\s++(?:class|struct)\b)?+)|class|struct|union)\s++)"
    rb"(?P<macros>(?:(?!(?:final|class|struct|union|enum)\b)[A-Za-z_]\w*+(?:\s*+%b)?+\s++){1,8}?)"
    rb"(?=(?!final\b)[A-Za-z_]\w*+(?:::\w++)*+\s*+(?:final\s*+)?+"
    rb"(?::(?!:)[^;{}()=]{0,999}+\{|(?(enum)\{|\{(?!\s*+[^\s{};:][^{};:]{0,999}+\}))))" % _ARGUMENTS
)
"""Words between `class` or the like and the name of a type that is defined: a variable would have values in its brackets."""
_CONDITION = re.compile(rb"[ \t]*+#[ \t]*+(?:if|ifdef|ifndef|elif|else|endif)\b")
_MACROS = rb"|".join((
    rb"%b\s++(?=~|%b)" % (_CALL, _TYPE_WORDS),  # in front of a declaration
    rb"(?<=\))\s*+%b(?:\s*+%b){0,8}+(?=\s*+[;{])" % (_CALL, _CALL),  # behind parameters
    rb"%b(?:\s++%b){1,8}+(?=\s*+\})" % (_NAME, _NAME),  # in place of statements
    rb"^[ \t]*+%b(?=[ \t]*+\n\s*+(?:public|protected|private)\b)" % _CALL,  # at the beginning of a class
    rb"^[ \t]*+%b[ \t]*+%b(?=[ \t]*+\n[ \t]*+(?:::)?+[A-Za-z_])"
    % (_NAME, _ARGUMENTS),  # in the line above a declaration
    rb"(?:(?<=\bclass )|(?<=\bstruct ))[A-Z][A-Z0-9]*+_[A-Z0-9_]++(?=[ \t]++[A-Za-z_])",  # in front of a type's name
    # in front of a word that is not the last of its declaration
    rb"(?<![\w#\"'<.:>])[A-Z][A-Z0-9]*+_[A-Z0-9_]++(?=[ \t]*+\n|[ \t]++(?:[A-Za-z_]\w*+(?!\s*+[;=\[])|~))",
    rb"^[ \t]*+[A-Z][A-Z0-9]*+_[A-Z0-9_]++$",  # alone in a line
))
_TYPES_READER = re.compile(_SKIPPED + rb"|" + _OF_TYPE, re.MULTILINE)
_READER = re.compile(rb"|".join((_SKIPPED, _OF_TYPE, _MACROS)), re.MULTILINE)
_NOT_BLANK = re.compile(rb"[^\s]")


def without_macros_of_types(source: bytes) -> bytes:
    """Return the source with blanks instead of macros in front of the names of types."""
    return _TYPES_READER.sub(_read, source)


def without_macros(source: bytes) -> bytes:
    """Return the source with blanks instead of what looks like macros that hold attributes or nothing."""
    return _READER.sub(_read, source)


def without_conditions(source: bytes) -> bytes:
    """Return the source with blanks instead of macros and of `#if` and the like: all branches are read."""
    return _READER.sub(
        lambda match: _blank(match[0]) if _CONDITION.match(match["directive"] or b"") else _read(match),
        source,
    )


def _read(match: re.Match[bytes]) -> bytes:
    """Return what the grammar reads in place of a match."""
    if match["directive"] is not None or match["text"] is not None:
        return match[0]
    return match["key"] + _blank(match["macros"]) if match["key"] else _blank(match[0])


def _blank(text: bytes) -> bytes:
    return _NOT_BLANK.sub(b" ", text)
