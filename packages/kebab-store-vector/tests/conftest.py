from __future__ import annotations

from pathlib import Path

import pytest
from kebab_store_vector import MatrixVectorStore
from kebab_testing.fakes.vector_source import InMemoryVectorSource
from kebab_testing.numbered_vectors import MODEL, put_numbered


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "share" / "kebab" / "vectors"


@pytest.fixture
def source() -> InMemoryVectorSource:
    """The vectors of passages 0 to 29."""
    filled = InMemoryVectorSource()
    put_numbered(filled, range(30))
    return filled


@pytest.fixture
def store(folder: Path, source: InMemoryVectorSource) -> MatrixVectorStore:
    """A store with a current matrix."""
    updated = MatrixVectorStore(folder, source)
    updated.update(MODEL)
    return updated
