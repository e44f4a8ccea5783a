"""Walks folders for kebab, honouring ignore rules."""

__all__: list[str] = []
