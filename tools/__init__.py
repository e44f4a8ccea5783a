"""Generators of checked-in files: wire schemas with their examples, and the reference pages. Not shipped."""
