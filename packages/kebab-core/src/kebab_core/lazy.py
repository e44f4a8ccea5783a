"""Public names of a package, loaded from their modules when first used (PEP 562).

A package lists each public name once, in the imports under `if TYPE_CHECKING:` of its `__init__.py`, in the form
`from package.module import Name as Name`. Type checkers read these imports; `lazy_exports` reads the same text.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import InspectLoader

_IMPORT = re.compile(r"^(?:    )?from (\S+) import (?:\(([^)]*)\)|(.*))$", re.MULTILINE)
_EXPORTED_NAME = re.compile(r"\b(\w+) as \1\b")


def lazy_exports(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Build the `__getattr__` and `__dir__` of a package.

    `__all__` is an attribute like the others, the sorted public names. Nothing is read before the first use.

    Args:
        package: Import name of the package.

    Returns:
        `__getattr__`, which imports the module of a name once and keeps the value in the package (any other name
        is an `AttributeError`), and `__dir__`, which lists the public names.
    """

    @cache
    def modules() -> dict[str, str]:
        loader = cast("InspectLoader", import_module(package).__loader__)
        source = loader.get_source(package) or ""
        return {
            name: module
            for module, wrapped, plain in _IMPORT.findall(source)
            for name in _EXPORTED_NAME.findall(wrapped or plain)
        }

    def load(name: str) -> object:
        if name == "__all__":
            return sorted(modules())
        module = None if name.startswith("__") else modules().get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module), name)
        setattr(import_module(package), name, value)
        return value

    return load, lambda: sorted(modules())
