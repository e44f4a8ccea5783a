"""Namespace of Word documents, and values of their elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = {"0", "false", "off"}


def value_of(parent: _Element | None, name: str) -> str | None:
    """Return `w:val` of a child; None where there is no such child or value."""
    child = None if parent is None else parent.find(W + name)
    return None if child is None else child.get(W + "val")


def is_on(parent: _Element | None, name: str) -> bool:
    """Return True if a switch is there and not off."""
    child = None if parent is None else parent.find(W + name)
    return child is not None and child.get(W + "val", "1") not in _OFF
