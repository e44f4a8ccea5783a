"""The header of a GGUF file: name, architecture and window of a model, without its weights.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from kebab_core import Message, ModelCorruptError, Remedy

_MAGIC = b"GGUF"
_VERSIONS = frozenset({2, 3})
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MAX_STRING = 1 << 24
_MAX_ENTRIES = 4096
_TOKENIZER = "tokenizer.ggml.tokens"
"""Where the long lists begin; name, architecture and window stand before."""


@dataclass(frozen=True, kw_only=True)
class GgufHeader:
    """What the header of a file says; parts that it does not tell are empty or None."""

    name: str
    architecture: str
    window: int | None
    """Tokens that the model was trained to read."""


def read_gguf_header(path: Path) -> GgufHeader:
    """Read the header of a file.

    Raises:
        ModelCorruptError: It is no GGUF file, or ends within its header.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        try:
            found = _read_entries(file)
        except (struct.error, UnicodeDecodeError, ValueError, KeyError, MemoryError) as error:
            raise ModelCorruptError(
                "{path!r} is no GGUF file, or damaged",
                remedy=Remedy(
                    kind="check_setting",
                    setting="models.llm.model",
                    otherwise=Remedy(
                        advice=Message("put the files of the model into {path!r}", path=str(path.parent))
                    ),
                ),
                path=str(path),
            ) from error
    architecture = str(found.get("general.architecture", ""))
    window = found.get(f"{architecture}.context_length")
    return GgufHeader(
        name=str(found.get("general.name", "")),
        architecture=architecture,
        window=window if isinstance(window, int) and window > 0 else None,
    )


def _read_entries(file: BinaryIO) -> dict[str, object]:
    if file.read(4) != _MAGIC or _number(file, "I") not in _VERSIONS:
        raise ValueError
    _number(file, "Q")  # the number of tensors
    found: dict[str, object] = {}
    for _ in range(min(int(_number(file, "Q")), _MAX_ENTRIES)):
        key = _string(file)
        if key == _TOKENIZER:
            break
        found[key] = _value(file, int(_number(file, "I")))
    return found


def _value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        return _number(file, _SCALARS[kind])
    item, length = int(_number(file, "I")), int(_number(file, "Q"))
    if item in _SCALARS:
        file.seek(length * struct.calcsize(_SCALARS[item]), 1)
    elif item == _STRING and length <= _MAX_STRING:
        for _ in range(length):
            _string(file)
    else:
        raise ValueError
    return None


def _number(file: BinaryIO, code: str) -> int | float:
    (value,) = struct.unpack(f"<{code}", file.read(struct.calcsize(code)))
    return value  # type: ignore[no-any-return]  # the codes of _SCALARS are numbers


def _string(file: BinaryIO) -> str:
    length = int(_number(file, "Q"))
    if length > _MAX_STRING:
        raise ValueError
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError
    return raw.decode("utf-8", "replace")
