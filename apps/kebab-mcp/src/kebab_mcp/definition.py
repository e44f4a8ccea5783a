"""Tools as the protocol shows them. Every sign is paid for in tokens by whoever connects, so nothing is said twice."""

from __future__ import annotations

from typing import Any

from mcp import types

from kebab_mcp.tool import AnyTool, Returns

_SILENT = {"title", "minimum", "maximum", "items"}
"""What pydantic writes and nobody needs to be told before it matters: names again, and bounds that errors name."""


def define(tool: AnyTool, *, readonly: bool = False) -> types.Tool:
    """Return the definition of a tool.

    Args:
        tool: The tool.
        readonly: Whether writing is switched off.
    """
    writes = tool.is_writer or (tool.keeps_results and not readonly)
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=_input_schema(tool),
        output_schema=_output_schema(tool.returns),
        annotations=types.ToolAnnotations(
            read_only_hint=not writes,
            destructive_hint=False if writes else None,
            idempotent_hint=tool.is_writer if writes else None,
            open_world_hint=False,
        ),
    )


def _input_schema(tool: AnyTool) -> dict[str, Any]:
    """Return the arguments, filters last."""
    schema = tool.arguments.model_json_schema()
    members = schema.get("properties", {})
    own = tool.arguments.__annotations__
    shown = sorted(members, key=lambda name: name not in own) if tool.shows_filters else own
    properties = {name: _compact(members[name]) for name in shown}
    required = schema.get("required")
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _compact(member: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one argument without what is said elsewhere; one that may be left out is not null."""
    choices = [choice for choice in member.get("anyOf", ()) if choice.get("type") != "null"]
    merged = {key: value for key, value in member.items() if key != "anyOf"} | (choices[0] if choices else {})
    kind = merged.get("items", {}).get("type")
    if kind == "string":  # words, for which a list is taken but not asked
        merged["type"] = kind
    shown = {key: value for key, value in merged.items() if key not in _SILENT and value not in (None, [])}
    return shown | ({"items": {"type": kind}} if shown["type"] == "array" else {})


def _output_schema(returns: Returns) -> dict[str, Any]:
    return {"type": "object", "required": list(returns.fields)}
