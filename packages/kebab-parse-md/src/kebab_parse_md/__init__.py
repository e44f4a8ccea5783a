"""Reads Markdown and plain text into kebab documents."""

__all__: list[str] = []
