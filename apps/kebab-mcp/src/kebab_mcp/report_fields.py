"""What an ingest returns, as far as it concerns one document."""

from __future__ import annotations

from kebab_mcp.tool import Returns

REPORT = Returns(
    version="ingest_report.v1",
    fields=("new", "updated", "errors", "items"),
)
