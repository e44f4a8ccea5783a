"""Cuts kebab documents into passages."""

__all__: list[str] = []
