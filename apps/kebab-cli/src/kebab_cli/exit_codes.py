"""Exit codes of every command."""

from __future__ import annotations

SUCCESS = 0
NO_RESULT = 1
"""No hit, a refusal, or an evaluation that got worse."""
ERROR = 2
UNHEALTHY = 3
INTERRUPTED = 130
