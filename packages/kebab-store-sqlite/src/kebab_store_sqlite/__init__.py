"""Documents, full text and bookkeeping of kebab in SQLite."""

__all__: list[str] = []
