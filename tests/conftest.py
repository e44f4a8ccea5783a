"""Worker processes are forked; `packages/kebab-runtime` and `packages/kebab-ingest` start them as kebab does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.command_server import forked_workers


@pytest.fixture(scope="module", autouse=True)
def workers() -> Iterator[None]:
    with forked_workers():
        yield
