"""Namespaces of OpenDocument files."""

from __future__ import annotations

_PREFIX = "urn:oasis:names:tc:opendocument:xmlns:"
OFFICE = "{" + _PREFIX + "office:1.0}"
TEXT = "{" + _PREFIX + "text:1.0}"
TABLE = "{" + _PREFIX + "table:1.0}"
DRAW = "{" + _PREFIX + "drawing:1.0}"
STYLE = "{" + _PREFIX + "style:1.0}"
PRESENTATION = "{" + _PREFIX + "presentation:1.0}"
CHART = "{" + _PREFIX + "chart:1.0}"
SVG = "{" + _PREFIX + "svg-compatible:1.0}"
XLINK = "{http://www.w3.org/1999/xlink}"
DC = "{http://purl.org/dc/elements/1.1/}"
