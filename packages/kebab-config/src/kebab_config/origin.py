"""Where the value of a key comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

OriginKind = Literal["default", "file", "env", "flag"]
"""The layers of the configuration; a later one wins over an earlier one."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The layer that decided a key; `name` is the variable's for `env` and None elsewhere."""

    kind: OriginKind
    name: str | None = None

    def __str__(self) -> str:
        return self.kind if self.name is None else f"{self.kind} {self.name}"
