"""What a check says when it does not pass."""

from __future__ import annotations

NOT_CONFIGURED = "not configured"
"""What a check says of what the settings do without."""


class Problem(Exception):  # noqa: N818 - a finding, carried to the table of checks
    """A finding, with what to do about it."""

    def __init__(self, detail: str, hint: str) -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint
