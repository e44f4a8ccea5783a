from __future__ import annotations

from pathlib import Path

import pytest
from kebab_store_vector import LanceVectorStore
from kebab_testing.numbered_vectors import put_numbered


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "share" / "kebab" / "lancedb"


@pytest.fixture
def store(folder: Path) -> LanceVectorStore:
    """A store with chunks 0 to 29."""
    filled = LanceVectorStore(folder)
    put_numbered(filled, range(30))
    return filled
