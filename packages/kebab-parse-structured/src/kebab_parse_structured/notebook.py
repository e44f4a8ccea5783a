"""The extractor `ipynb-v1` of Jupyter notebooks: each cell under its number, code with its outputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kebab_core import DocumentDamagedError, Message, ParserVersion

from kebab_parse_structured.markdown_text import write_markdown
from kebab_parse_structured.structured_extractor import StructuredExtractor, objects_in, read_object, text_in

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kebab_parse import TextWriter
    from pydantic import JsonValue

    from kebab_parse_structured.structured_extractor import Object

NOTEBOOK_VERSION = ParserVersion("ipynb-v1")
_CELL_LEVEL = 6
_MOST_OUTPUT_LINES = 200
"""Lines of one output that are read: programs print without end."""
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_OUTPUTS_CUT = Message("of long outputs the first {lines} lines are read", lines=_MOST_OUTPUT_LINES)


class NotebookExtractor(StructuredExtractor):
    """Extractor of notebooks (`.ipynb`, formats 3 and 4)."""

    formats = frozenset({"ipynb"})
    version = NOTEBOOK_VERSION

    def _write(self, writer: TextWriter, content: bytes, warnings: list[Message]) -> Object:
        """Write the cells. A heading `Cell 7` stands before each but those that begin with a heading of their own.

        Outputs are those that are text: what is printed, results, errors. Pictures and pages of outputs are left out.

        Raises:
            DocumentDamagedError: It is no notebook.
        """
        notebook = read_object(content)
        sheets = objects_in(notebook.get("worksheets"))
        cells = objects_in(sheets[0].get("cells") if sheets else notebook.get("cells"))
        if not cells and not isinstance(notebook.get("cells"), list) and not sheets:
            raise DocumentDamagedError("it is no notebook")
        lang = _language_of(notebook)
        for number, cell in enumerate(cells, 1):
            source = text_in(cell.get("source", cell.get("input")))
            kind = cell.get("cell_type")
            if kind == "heading":  # of format 3
                level = cell.get("level")
                writer.heading(level if isinstance(level, int) else 1, source)
                continue
            if kind == "markdown" and source.lstrip().startswith("#"):
                write_markdown(writer, source)
                continue
            outputs = list(_outputs_of(cell))
            if source.strip() or outputs:
                writer.heading(_CELL_LEVEL, f"Cell {number}")
            if kind == "code":
                writer.code(source, lang)
            elif kind == "markdown":
                write_markdown(writer, source)
            else:
                writer.paragraph(source)
            for output in outputs:
                lines = output.split("\n")
                if len(lines) > _MOST_OUTPUT_LINES and _OUTPUTS_CUT not in warnings:
                    warnings.append(_OUTPUTS_CUT)
                writer.code("\n".join(lines[:_MOST_OUTPUT_LINES]), "output")
        metadata = notebook.get("metadata")
        title = metadata.get("title") if isinstance(metadata, dict) else None
        return {"title": title} if isinstance(title, str) else {}


def _language_of(notebook: Object) -> str:
    metadata = notebook.get("metadata")
    info = metadata.get("language_info", metadata.get("kernelspec")) if isinstance(metadata, dict) else None
    name = info.get("name", info.get("language")) if isinstance(info, dict) else None
    return name if isinstance(name, str) and name.isalnum() else ""


def _outputs_of(cell: Object) -> Iterator[str]:
    for output in objects_in(cell.get("outputs")):
        yield from _texts_of(output)


def _texts_of(output: Object) -> Iterator[str]:
    data = output.get("data", output)
    text: JsonValue = output.get("text")
    if output.get("output_type") in {"error", "pyerr"}:
        text = f"{text_in(output.get('ename'))}: {text_in(output.get('evalue'))}"
    elif text is None and isinstance(data, dict):
        text = data.get("text/plain")
    if shown := _ESCAPES.sub("", text_in(text)).strip("\n"):
        yield shown
