"""Reading a configuration file as text and tables, without judging its keys."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kebab_core import ConfigInvalidError, ConfigNotFoundError, StorageError

_POSITION = re.compile(r"\(at line (\d+), column \d+\)")
_HEADER = re.compile(r"\s*\[\[?([^\[\]]+)\]\]?\s*(?:#.*)?")
_ENTRY = re.compile(r"([A-Za-z0-9_.\-\"' \t]+)=")


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file that is valid TOML."""

    path: Path
    text: str
    tables: dict[str, Any]

    def line_of(self, key: str) -> int | None:
        """Return the 1-based line that sets a dotted key or opens the table of that name.

        None where it cannot be told without a full parser, such as inside inline tables.
        """
        table = ""
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := _HEADER.fullmatch(line):
                table = _plain(header[1].strip())
                if table == key:
                    return number
            elif entry := _ENTRY.match(line):
                name = _plain(entry[1].strip())
                if key == (f"{table}.{name}" if table else name):
                    return number
        return None


def read_config_file(path: Path) -> ConfigFile:
    """Read and parse a file; a byte order mark is tolerated.

    Args:
        path: The file.

    Returns:
        Its text and its tables.

    Raises:
        ConfigNotFoundError: There is no such file.
        ConfigInvalidError: It is a folder, not UTF-8 or not TOML; `details` has the line where it is known.
        StorageError: It cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return ConfigFile(path=path, text=text, tables=tomllib.loads(text))
    except FileNotFoundError as error:
        raise ConfigNotFoundError(
            f"there is no configuration file at {str(path)!r}",
            hint="kebab init writes one; without --config the defaults apply",
            path=str(path),
        ) from error
    except IsADirectoryError as error:
        raise ConfigInvalidError(
            f"{str(path)!r} is a folder, not a configuration file",
            hint=f"name the file in it, such as {path / 'config.toml'}",
            path=str(path),
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigInvalidError(f"{str(path)!r} is not UTF-8", path=str(path)) from error
    except tomllib.TOMLDecodeError as error:
        message, hint, line = _explain(path, str(error))
        raise ConfigInvalidError(message, hint=hint, path=str(path), line=line) from error
    except OSError as error:
        raise StorageError(f"cannot read {str(path)!r}: {error.strerror}", path=str(path)) from error


def _explain(path: Path, message: str) -> tuple[str, str, int | None]:
    position = _POSITION.search(message)
    line = int(position[1]) if position else None
    reason = _POSITION.sub("", message).strip()
    where = f"line {line} of {str(path)!r}" if line else repr(str(path))
    hint = "texts stand in quotation marks, lists in square brackets"
    return f"{where} is not valid TOML: {reason[:1].lower()}{reason[1:]}", hint, line


def _plain(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
