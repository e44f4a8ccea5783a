"""A bucket as a source: rules of names, and objects that change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from kebab_core import (
    CodeIngestSettings,
    SkippedPath,
    SkipReason,
    SourceEntry,
    SourceScope,
    StorageError,
    WorkspacePath,
)
from kebab_source_fs import BucketConnector
from kebab_testing.bucket_server import BUCKET, BucketServer

pytestmark = pytest.mark.enable_socket
CONNECTOR = BucketConnector(CodeIngestSettings())
NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_names_of_objects_have_the_rules_of_paths(server: BucketServer) -> None:
    names = [
        "a.md",
        "b.tmp",
        "draft/c.md",
        "node_modules/x/d.md",
        "out/e.md",
        "out/kept.md",
        "e\u0301.md",
        "\u00e9.md",
    ]
    for name in names:
        server.put(BUCKET, f"rules/{name}", b"text")
    server.put(BUCKET, "rules/out/", b"")  # as programs make for a folder
    server.put(BUCKET, "rules/out/.kebabignore", b"e.md\n")
    scope = SourceScope(root=f"s3:/{BUCKET}/rules", include=("**/*.md",), exclude=("draft/",))
    items = list(CONNECTOR.scan(scope))
    assert [str(item.workspace_path) for item in items if isinstance(item, SourceEntry)] == [
        "a.md",
        "out/kept.md",
        "\u00e9.md",
    ]
    skipped = {str(item.workspace_path): item.reason for item in items if isinstance(item, SkippedPath)}
    assert skipped == {
        "b.tmp": SkipReason.NOT_INCLUDED,
        "draft": SkipReason.CONFIG_EXCLUDE,
        "node_modules": SkipReason.BUILTIN_BLACKLIST,
        "out/.kebabignore": SkipReason.NOT_INCLUDED,
        "out/e.md": SkipReason.KEBABIGNORE,
        "\u00e9.md~": SkipReason.SPELLED_TWICE,
    }
    below = scope.model_copy(update={"under": WorkspacePath("draft/c.md")})
    assert list(CONNECTOR.scan(below)) == [
        SkippedPath(WorkspacePath("draft"), SkipReason.CONFIG_EXCLUDE, is_folder=True)
    ]


def test_other_content_of_the_same_length_has_another_stamp(server: BucketServer) -> None:
    scope = SourceScope(root=f"s3://{BUCKET}/changes")
    with pytest.raises(StorageError, match="nothing below"):
        list(CONNECTOR.scan(scope))
    server.put(BUCKET, "changes/a.md", b"one")
    (before,) = CONNECTOR.scan(scope)
    server.put(BUCKET, "changes/a.md", b"two")
    (after,) = CONNECTOR.scan(scope)
    assert isinstance(before, SourceEntry)
    assert isinstance(after, SourceEntry)
    assert before.stamp != after.stamp
    read = CONNECTOR.read(before, discovered_at=NOON)
    assert (read.content, read.stamp) == (b"two", after.stamp)
