"""How an audit looks at kept copies of files."""

from __future__ import annotations

from enum import Enum


class CopyLook(Enum):
    """How closely kept copies are looked at; each takes more time than the one before."""

    NAMES = "names"
    """Whether they are there."""
    SIZES = "sizes"
    """Whether they are as long as they were."""
    CONTENTS = "contents"
    """Whether they hold what they held."""
