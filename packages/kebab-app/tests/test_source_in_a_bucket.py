"""A source in a bucket beside a folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from kebab_core import ConfigInvalidError, FetchAddress, SearchMode, SearchQuery
from kebab_runtime import Bucket
from kebab_testing.bucket_server import BUCKET, serve_bucket

if TYPE_CHECKING:
    from conftest import Base

URL = f"s3://{BUCKET}/notes"


@pytest.fixture
def bucket(base: Base, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    with serve_bucket() as server:
        for name, value in server.environ.items():
            monkeypatch.setenv(name, value)
        base.set_sources({"id": "default", "root": str(base.root)}, {"id": "team", "root": URL, "kind": "s3"})
        base.write("a.md", "# Here\n\nOn this machine.\n")
        yield Bucket(URL)


@pytest.mark.enable_socket
def test_documents_of_a_bucket_are_read_by_their_etags(base: Base, bucket: Bucket) -> None:
    def found(word: str) -> list[str]:
        hits = base.app.search(SearchQuery(text=word, mode=SearchMode.LEXICAL)).hits
        assert not any(hit.stale for hit in hits)
        return [hit.citation.to_uri().partition("#")[0] for hit in hits]

    bucket.replace("inbox/one.md", b"# Rewind\n\nThe tape is rewound.\n")
    bucket.replace("inbox/two.md", b"# Two\n\nIt stays.\n")
    assert base.ingest().counts == {"scanned": 3, "new": 3}
    assert base.ingest().counts == {"scanned": 3, "unchanged": 3}
    assert found("rewound") == ["team:inbox/one.md"]
    assert "The tape" in str(base.app.fetch(FetchAddress(address="team:inbox/one.md")).text)
    assert base.app.why("inbox/one.md").verdict == "indexed"
    assert all(check.ok for check in base.app.doctor().checks)
    bucket.replace("inbox/one.md", b"# Rewind\n\nThe reel is rewound.\n")
    bucket.remove("inbox/two.md")
    assert base.ingest(prune=True).counts == {"scanned": 2, "unchanged": 1, "updated": 1, "removed": 1}
    assert (found("tape"), found("reel")) == ([], ["team:inbox/one.md"])


@pytest.mark.enable_socket
def test_nothing_is_removed_while_a_bucket_cannot_be_read(base: Base, bucket: Bucket) -> None:
    bucket.replace("one.md", b"# Rewind\n\nThe tape is rewound.\n")
    base.ingest()
    bucket.remove("one.md")
    outcome = base.ingest(prune=True)
    (told,) = outcome.report.unreadable_folders
    assert "nothing below" in told
    assert len(base.documents()) == 2


def test_the_root_of_a_bucket_is_a_url(base: Base) -> None:
    base.set_sources({"id": "team", "root": str(base.root), "kind": "s3"})
    with pytest.raises(ConfigInvalidError, match="URL"):
        base.load()
