"""Fakes and Protocol law suites for kebab's own tests; never published."""

__all__: list[str] = []
