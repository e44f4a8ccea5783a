"""The process environment, read here and nowhere else, and variables for libraries.

Imports nothing heavy: the functions that set variables are called before libraries are loaded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Literal

Language = Literal["en", "ko"]
"""A language of messages and help."""

_START_DEFAULTS = {
    "PYDANTIC_DISABLE_PLUGINS": "__all__",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Pydantic looks through every installed distribution for plugins. OpenBLAS, which numpy loads, starts a thread for each
further core and lets it spin; no matrix product in kebab is large enough for a second thread."""
_LANCE_DEFAULTS = {
    "LANCEDB_LOG": "off",
    "LANCE_LOG": "error",
    "LANCE_CPU_THREADS": "8",
    "LANCE_INCLUDE_VECTOR_CENTROIDS": "false",
}
"""LanceDB and Lance write their warnings to stderr, past Python's logging, unless these are set when they are imported. Lance
reads as many parts of an index of vectors from a bucket at once as it has threads, one or two on a machine of two cores, and
all centroids of an index to describe it."""
_CLUSTER_DEFAULTS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""Ray reports to its makers, lets in whoever reaches its port, and under `uv run` has machines install what it runs."""
_TRUE = frozenset({"1", "true", "yes", "on"})
_LANGUAGE_VARIABLES = ("KEBAB_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
_KOREAN = frozenset({"ko", "kor", "korean"})


def read_environment() -> Mapping[str, str]:
    """A copy of the variables of this process."""
    return dict(os.environ)


def is_readonly(environ: Mapping[str, str]) -> bool:
    """True where `KEBAB_READONLY` switches writing off."""
    return environ.get("KEBAB_READONLY", "").lower() in _TRUE


def choose_language(environ: Mapping[str, str]) -> Language:
    """The language of messages by the first variable that is set: KEBAB_LANG, LC_ALL, LC_MESSAGES, LANG.

    Korean where it names Korean, such as `ko` or `ko_KR.UTF-8`; otherwise English, as with C and POSIX.
    """
    chosen = next((value for name in _LANGUAGE_VARIABLES if (value := environ.get(name))), "")
    return "ko" if re.split(r"[-_.@]", chosen.lower())[0] in _KOREAN else "en"


@contextmanager
def set_library_language(language: Language) -> Iterator[None]:
    """Inside the block, libraries that call `gettext` look for texts in a language.

    Yields:
        Nothing.
    """
    before = os.environ.get("LANGUAGE")
    os.environ["LANGUAGE"] = language
    try:
        yield
    finally:
        if before is None:
            del os.environ["LANGUAGE"]
        else:
            os.environ["LANGUAGE"] = before


def lighten_libraries() -> None:
    """Set variables so that libraries start with less work; values that the user has set stay.

    Call it before the libraries are imported, in a process of kebab's own: it affects all of the process and its children.
    """
    for name, value in _START_DEFAULTS.items():
        os.environ.setdefault(name, value)


def secure_cluster() -> None:
    """Set variables so that Ray reports to nobody and takes no work without its token; values that the user has set stay.

    Call it before it is imported.
    """
    for name, value in _CLUSTER_DEFAULTS.items():
        os.environ.setdefault(name, value)


def quiet_libraries() -> None:
    """Set variables so that libraries do not write to stderr and do not wait for buckets in vain; values that the user has set stay.

    Call it before the libraries are imported.
    """
    for name, value in _LANCE_DEFAULTS.items():
        os.environ.setdefault(name, value)
