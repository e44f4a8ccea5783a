"""A lake in a bucket: S3 of moto on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from kebab_core import DocFilter, LexicalQuery, StaleRevisionError, StorageError
from kebab_store_lake import Committer, LakeDocumentStore, LakeLexicalIndex, LakeRevision, read_newest_head
from kebab_store_lake.head import Heads
from kebab_testing.bucket_server import BUCKET, BucketServer, serve_bucket
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record

if TYPE_CHECKING:
    from conftest import LakeOfBase

pytestmark = pytest.mark.enable_socket


@pytest.fixture(scope="module")
def server() -> Iterator[BucketServer]:
    with serve_bucket() as found:
        yield found


@pytest.fixture
def bucket(
    server: BucketServer, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Give the URL of a lake of its own."""
    for name, value in server.environ.items():
        monkeypatch.setenv(name, value)
    yield f"s3://{BUCKET}/{request.node.name}"
    server.is_careless, server.refusal = False, ""


def put(lake: LakeOfBase, name: str, *texts: str) -> None:
    lake.base.documents.replace_document(build_record(RecordSpec(path=f"{name}.md", paragraphs=texts)))


def found(lake: str, word: str) -> set[str]:
    revision = LakeRevision(lake)
    hits = LakeLexicalIndex(revision).search(LexicalQuery(terms=(word,)), limit=9)
    chunks = LakeDocumentStore(revision).get_chunks([hit.chunk_id for hit in hits])
    return {each.document.doc_path for each in chunks}


def test_a_bucket_is_published_to_and_searched(bucket: str, make_lake: Callable[..., LakeOfBase]) -> None:
    lake = make_lake(bucket)
    assert read_newest_head(bucket) is None
    put(lake, "a", "w1 x1")
    lake.committer.publish(lake.base)
    reader = LakeRevision(bucket)
    put(lake, "b", "w1")
    assert lake.committer.publish(lake.base).revision == 2
    assert found(bucket, "w1") == {"a.md", "b.md"}
    assert not reader.is_newest
    assert [one.doc_path for one in LakeDocumentStore(reader).list_documents(DocFilter())] == ["a.md"]
    head = read_newest_head(bucket)
    assert head is not None
    with pytest.raises(StaleRevisionError):
        Heads(bucket).put(head.model_copy(update={"writer": "other"}))


def test_a_store_that_writes_over_what_is_there_is_refused(
    bucket: str, server: BucketServer, make_lake: Callable[..., LakeOfBase]
) -> None:
    lake = make_lake(bucket)
    put(lake, "a", "w1")
    server.is_careless = True
    with pytest.raises(StorageError, match="writes over") as refused:
        Committer(bucket, clock=FixedClock()).publish(lake.base)
    assert refused.value.remedy is not None
    assert refused.value.remedy.setting == "storage.lake"
    assert read_newest_head(bucket) is None


def test_errors_of_a_bucket_have_a_cause_and_a_remedy(
    bucket: str, server: BucketServer, make_lake: Callable[..., LakeOfBase]
) -> None:
    nowhere = bucket.replace(BUCKET, "nowhere")
    cases = [
        (nowhere, "", "there is no such bucket", "show_config"),
        (bucket, "InvalidAccessKeyId", "InvalidAccessKeyId", "check_permissions"),
    ]
    for url, refusal, cause, remedy in cases:
        lake, server.refusal = make_lake(url), refusal
        for use in (lambda lake=url: LakeRevision(lake), lambda lake=lake: lake.committer.publish(lake.base)):
            with pytest.raises(StorageError, match=cause) as failed:
                use()
            assert url in str(failed.value)
            assert failed.value.remedy is not None
            assert failed.value.remedy.kind == remedy
