"""Docstrings below fields, read from source."""

from __future__ import annotations

from kebab_core import ChunkingSettings, Model, SearchQuery, read_field_docs


class Parent(Model):
    first: int
    """One
    sentence."""
    bare: int


class Child(Parent):
    second: int
    """Another."""


def test_docs_are_folded_and_inherited() -> None:
    assert read_field_docs(Child) == {"first": "One sentence.", "second": "Another."}


def test_every_key_of_a_section_is_documented() -> None:
    assert set(read_field_docs(ChunkingSettings)) == set(ChunkingSettings.model_fields)


def test_a_model_class_does_not_read_its_source_by_itself() -> None:
    assert all(field.description is None for field in SearchQuery.model_fields.values())
