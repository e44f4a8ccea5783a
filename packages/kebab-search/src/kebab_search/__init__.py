"""Lexical, vector and hybrid retrieval over kebab's Protocols."""

__all__: list[str] = []
