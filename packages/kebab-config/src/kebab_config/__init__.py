"""Loads, checks and migrates the configuration of kebab."""

__all__: list[str] = []
