"""The committer: publishes the state of a base as the next revision of a lake.

Everything is written behind the tables that the head names, indexes too, and becomes visible by the new head alone. What a
killed committer left behind it is put back by the next one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import DocFilter, NotIndexedError, Remedy, WorkspacePath

from kebab_store_lake.head import EMPTY, FORMAT, Head, Heads, stale_revision
from kebab_store_lake.lease import Lease
from kebab_store_lake.rows import StoredDocument, document_row, passage_rows, symbol_rows
from kebab_store_lake.tables import NAMES, LakeFolder, LakeTable, Row, batches, lance_version, one_of

if TYPE_CHECKING:
    from kebab_core import (
        Clock,
        DocumentId,
        DocumentStore,
        EmbeddingIdentity,
        EmbeddingRepo,
        LexicalIndex,
        SourceFileStore,
    )

_LOG = logging.getLogger("kebab.lake")
_IDS_PER_DELETE = 1000
_IDS_PER_FILTER = 100
"""As many as a filter takes."""
OF_PASSAGES = ("documents", "passages", "terms", "symbols")
"""Tables that are made anew for the vectors of another model."""
RANKED, SURFACE = "r", "s"
"""Kinds of `terms`: those that are ranked, with the number of passages, and words as written, without."""


class PublishedBase(NamedTuple):
    """A base whose state is published. Nothing else writes to it meanwhile."""

    documents: DocumentStore
    terms: LexicalIndex
    embeddings: EmbeddingRepo
    source_files: SourceFileStore


class _Model:
    """The vectors that are published: of the model that searches use."""

    def __init__(self, embeddings: EmbeddingRepo) -> None:
        active, latest = embeddings.active_model(), embeddings.latest_model()
        self.identity: EmbeddingIdentity | None = active.identity if active else latest
        self.settings = active.settings_json if active else "{}"
        self.counts: Counter[str] = Counter()
        """Vectors of each document."""
        if self.identity is not None:
            for rows in embeddings.rows(self.identity):
                self.counts[rows.doc_id] += len(rows.list_texts())

    def state_of(self, doc_id: str, state: str) -> str:
        """Return the state of a document with that of its vectors."""
        return f"{state} {self.counts[doc_id]}"


class Committer:
    """Publishes a base to a lake. One at a time: a second one is refused, at the latest when it would publish.

    Args:
        folder: Of the lake, which the first revision makes, or the URL of its bucket.
        clock: Of this machine: for the times of revisions, and the ages of files.
        writer: Names the base. One process of a base publishes at a time; what an earlier one left is taken over at once.
        retention: How long a revision stays readable after a later one was published.
        batch: Documents that are held in memory at once.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        clock: Clock,
        writer: str = "",
        retention: timedelta = timedelta(hours=48),
        batch: int = 1000,
    ) -> None:
        lake = str(folder)
        self._lake = LakeFolder(lake)
        self._heads = Heads(lake)
        self._lease = Lease(lake, clock=clock, writer=writer)
        self._clock = clock
        self._writer = writer
        self._retention = retention
        self._batch = batch

    def publish(self, base: PublishedBase) -> Head:
        """Bring the lake to the state of a base, and return its head; where nothing differs, that is the head it has.

        Raises:
            LockedError: Another base is being published there.
            StaleRevisionError: Another one was published meanwhile; the lake is as it left it.
            StorageError: The lake cannot be written.
        """
        with self._lease.held():
            head = self._publish(base)
            self._clean()
        return head

    def _publish(self, base: PublishedBase) -> Head:
        revision = (self._heads.list_revisions() or [EMPTY])[-1] + 1
        head = self._heads.read_newest()
        model = _Model(base.embeddings)
        dimensions = model.identity.dimensions if model.identity else None
        if head is not None and head.model != model.identity:
            tables = self._recover(head, anew=OF_PASSAGES, dimensions=dimensions)
        else:
            tables = self._recover(head, anew=() if head else NAMES, dimensions=dimensions)
        states = {
            doc_id: model.state_of(doc_id, state) for doc_id, state in base.documents.list_states().items()
        }
        known = {row["doc_id"]: row["state"] for row in tables["documents"].scan(["doc_id", "state"])}
        changed = sorted(doc_id for doc_id, state in states.items() if known.get(doc_id) != state)
        gone = sorted(known.keys() - states.keys())
        self._write(base, tables, model, states, changed=changed, gone=gone)
        has_other_files = self._write_files(base, tables["files"])
        found = self._describe(base, head, tables, model, has_changed=bool(changed or gone))
        if head is not None and not (changed or gone or has_other_files) and _is_same(head, found):
            return head
        for name, table in tables.items():
            if head is None or table.version != head.tables[name]:
                self._build_indexes(name, table)
        if not self._is_whole(tables, states, changed=changed):
            stale = stale_revision()
            raise stale
        versions = {name: table.version for name, table in tables.items()}
        found = found.model_copy(update={"tables": versions, "revision": revision})
        self._heads.put(found)
        return found

    def compact(self) -> Head:
        """Build all indexes anew, merge files, and remove what no reader may use any more; return the head of the new revision.

        Raises:
            NotIndexedError: Nothing has been published.
            LockedError: Another base is being published.
            StaleRevisionError: Another one was published meanwhile.
            StorageError: The lake cannot be written.
        """
        with self._lease.held():
            revision = (self._heads.list_revisions() or [EMPTY])[-1] + 1
            head = self._heads.read_newest()
            if head is None:
                raise NotIndexedError(
                    "nothing has been published to the lake {lake!r} yet",
                    remedy=Remedy(kind="ingest"),
                    lake=self._lake.path,
                )
            tables = self._recover(head, anew=(), dimensions=None)
            for name, table in tables.items():
                self._build_indexes(name, table, anew=True)
            versions = {name: table.version for name, table in tables.items()}
            update = {"tables": versions, "revision": revision, "published_at": self._clock.now()}
            head = head.model_copy(update=update)
            self._heads.put(head)
            self._clean()
        return head

    def _build_indexes(self, name: str, table: LakeTable, *, anew: bool = False) -> None:
        """Bring the indexes of a table up to date, or build them anew.

        Raises:
            StaleRevisionError: Another process has written to it since it was opened.
        """
        self._lease.renew()
        rows = table.count()
        is_alone = table.is_alone
        if is_alone:
            table.build_indexes(name, anew=anew)
        if not is_alone or table.count() != rows:
            stale = stale_revision()
            raise stale

    def _recover(
        self, head: Head | None, *, anew: Iterable[str], dimensions: int | None
    ) -> dict[str, LakeTable]:
        """Open the tables for writing, as the head names them, whatever a killed committer wrote after it."""
        tables = {}
        for name in NAMES:
            if name in anew or head is None:
                tables[name] = self._lake.create(name, dimensions=dimensions)
                continue
            tables[name] = self._lake.open(name)
            if tables[name].version != head.tables[name]:
                _LOG.info("the table %s is put back to version %d", name, head.tables[name])
                tables[name].restore(head.tables[name])
        return tables

    def _write(
        self,
        base: PublishedBase,
        tables: Mapping[str, LakeTable],
        model: _Model,
        states: Mapping[DocumentId, str],
        *,
        changed: Sequence[DocumentId],
        gone: Sequence[str],
    ) -> None:
        """Replace the rows of changed documents, remove those of gone ones, and count their terms again."""
        words: set[str] = set()
        for ids in batches([*changed, *gone], _IDS_PER_DELETE):
            of_documents = one_of("doc_id", ids)
            for row in tables["passages"].scan(["ranked"], of_documents):
                words.update(row["ranked"].split())
            for name in ("passages", "symbols", "documents"):
                if tables[name].count(of_documents):
                    tables[name].delete(of_documents)
        for ids in batches(changed, self._batch):
            self._lease.renew()
            stored = list(_read(base, ids, model.identity, states))
            passages = [
                row for each in stored for row in passage_rows(each, with_vectors=model.identity is not None)
            ]
            tables["passages"].add(passages)
            tables["symbols"].add([row for each in stored for row in symbol_rows(each)])
            self._keep_assets(base, tables["assets"], stored)
            surface: set[str] = set()
            for row in passages:
                words.update(row["ranked"].split())
                surface.update(row["surface"].split())
            rows = [{"kind": SURFACE, "term": word, "frequency": 0} for word in sorted(surface)]
            tables["terms"].upsert(["kind", "term"], rows, update=False)
            tables["documents"].add(list(map(document_row, stored)))
        self._count_terms(base, tables["terms"], sorted(words))

    def _count_terms(self, base: PublishedBase, table: LakeTable, words: Sequence[str]) -> None:
        """Store the frequencies that words have now."""
        for some in batches(words, 20_000):
            counts = base.terms.document_frequencies(some)
            found = [
                {"kind": RANKED, "term": word, "frequency": count} for word, count in counts.items() if count
            ]
            table.upsert(["kind", "term"], found)
            if lost := [word for word, count in counts.items() if not count]:
                table.delete(f"kind = '{RANKED}' AND {one_of('term', lost)}")

    def _keep_assets(self, base: PublishedBase, table: LakeTable, stored: Sequence[StoredDocument]) -> None:
        """Store the bytes of files that the base has copies of; larger ones stay where they are."""
        copied = {
            str(each.asset.asset_id): each.asset for each in stored if each.asset.stored.kind == "copied"
        }
        for ids in batches(list(copied), 100):
            known = {row["asset_id"] for row in table.read(["asset_id"], one_of("asset_id", ids))}
            table.add([
                {"asset_id": each, "content": base.documents.read_asset(copied[each].asset_id)}
                for each in ids
                if each not in known
            ])

    @staticmethod
    def _write_files(base: PublishedBase, table: LakeTable) -> bool:
        """Store failures, scans and repositories; return whether they differ from what was there."""
        files = base.source_files
        found = [
            *(("failure", each.source_id, str(each.workspace_path), each) for each in files.list_failures()),
            *(("scan", each.source_id, "", each) for each in files.list_scans()),
            *(
                ("repository", each.source_id, str(each.folder or ""), each)
                for each in files.list_repositories()
            ),
        ]
        rows: list[Row] = [
            {"kind": kind, "source_id": source_id, "path": path, "content": each.model_dump_json()}
            for kind, source_id, path, each in found
        ]
        columns = ("kind", "source_id", "path", "content")

        def key(row: Row) -> tuple[str, ...]:
            return tuple(row[column] for column in columns)

        if sorted(map(key, rows)) == sorted(map(key, table.scan(columns))):
            return False
        table.delete("true")
        table.add(rows)
        return True

    def _describe(
        self,
        base: PublishedBase,
        head: Head | None,
        tables: Mapping[str, LakeTable],
        model: _Model,
        *,
        has_changed: bool,
    ) -> Head:
        """Describe the next revision, without its number and tables."""
        identity = model.identity
        before = 0 if head is None else head.corpus_revision
        version = base.embeddings.content_version()
        if head is not None:  # a new stamp of a file is no change of what is found
            has_changed = head.model != identity or (has_changed and head.content_version != version)
        passages, vectors = tables["passages"].count(), sum(model.counts.values())
        stats = base.documents.stats()
        centroids = None if identity is None else base.embeddings.query_centroids(identity)
        return Head(
            format=FORMAT,
            revision=EMPTY,
            tables={},
            corpus_revision=before + has_changed,
            content_version=version,
            documents=tables["documents"].count(),
            documents_pending=stats.pending_document_count,
            asset_bytes=stats.asset_bytes,
            passages=passages,
            vectors=vectors,
            analyzer_version=base.terms.analyzer_version(),
            model=identity,
            is_complete=identity is not None and vectors == passages,
            model_settings=model.settings,
            query_centroids=None if centroids is None else centroids.decode(),
            query_centroids_version=None
            if identity is None
            else base.embeddings.query_centroids_version(identity),
            published_at=self._clock.now(),
            writer=self._writer,
            requires=lance_version(),
        )

    @staticmethod
    def _is_whole(
        tables: Mapping[str, LakeTable], states: Mapping[DocumentId, str], *, changed: Sequence[DocumentId]
    ) -> bool:
        """Return True if the tables hold exactly the rows that were written, all of them indexed, and none of another process."""
        rows = {row["doc_id"]: row for row in tables["documents"].scan(["doc_id", "state", "chunk_count"])}
        is_whole = tables["documents"].count() == len(rows)
        is_whole &= {doc_id: row["state"] for doc_id, row in rows.items()} == states
        passages = tables["passages"]
        is_whole &= passages.count() == sum(row["chunk_count"] for row in rows.values())
        for ids in batches(changed if is_whole else (), _IDS_PER_DELETE):
            count = sum(rows[doc_id]["chunk_count"] for doc_id in ids)
            is_whole &= passages.count(one_of("doc_id", ids)) == count
        return is_whole and not (passages.count() and passages.count_unindexed())

    def _clean(self) -> None:
        """Remove heads that no reader may use any more, and what they alone name of the tables."""
        now = self._clock.now()
        if not self._heads.remove_superseded(before=now - self._retention):
            return
        kept = [head for each in self._heads.list_revisions() if (head := self._heads.read(each)) is not None]
        for name in NAMES:
            oldest = min(head.tables[name] for head in kept)
            self._lake.open(name).clean(before=oldest, now=now, retention=self._retention)


def _read(
    base: PublishedBase,
    ids: Sequence[DocumentId],
    identity: EmbeddingIdentity | None,
    states: Mapping[DocumentId, str],
) -> Iterator[StoredDocument]:
    """Yield documents with everything that is published of them."""
    summaries = {
        each.doc_id: each
        for some in batches(ids, _IDS_PER_FILTER)
        for each in base.documents.list_documents(DocFilter(doc_id=tuple(some)))
    }
    for doc_id in ids:
        document, indexed = base.documents.get_document(doc_id), base.documents.get_indexed_document(doc_id)
        asset = base.documents.get_asset(doc_id)
        if document is None or indexed is None or asset is None:
            continue  # `_is_whole` notices it
        chunks = base.documents.list_chunks(doc_id)
        chunk_ids = [chunk.chunk_id for chunk in chunks]
        yield StoredDocument(
            document=document,
            indexed=indexed,
            summary=summaries[doc_id],
            asset=asset,
            chunks=chunks,
            terms=base.terms.read_terms(doc_id),
            tracked=base.source_files.tracked_file(indexed.source_id, WorkspacePath(indexed.doc_path)),
            vectors={} if identity is None else base.embeddings.chunk_vectors(identity, chunk_ids),
            state=states[doc_id],
        )


def _is_same(head: Head, other: Head) -> bool:
    """Return whether two heads over the same tables tell readers the same."""
    of_publication = {
        "revision",
        "tables",
        "published_at",
        "writer",
        "requires",
        "content_version",
        "corpus_revision",
    }
    return head.model_dump(exclude=of_publication) == other.model_dump(exclude=of_publication)
