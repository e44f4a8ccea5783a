"""The committer: publishes the state of a base as the next revision of a lake.

Everything is written behind the tables that the head names, indexes too, and becomes visible by the new head alone. What a
killed committer left behind it is put back by the next one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kebab_core import ActiveModel, DocFilter, NotIndexedError, Remedy, WorkspacePath, hash_bytes

from kebab_store_lake.head import EMPTY, FORMAT, Head, Heads, stale_revision
from kebab_store_lake.lease import Lease
from kebab_store_lake.rows import StoredDocument, document_row, passage_rows, symbol_rows
from kebab_store_lake.tables import NAMES, LakeFolder, LakeTable, Row, batches, lance_version, one_of
from kebab_store_lake.vector_sums import COLUMNS, VectorSums

if TYPE_CHECKING:
    from kebab_core import (
        Clock,
        DocumentId,
        DocumentStore,
        EmbeddingIdentity,
        EmbeddingRepo,
        LexicalIndex,
        PublicationLog,
        SourceFileStore,
    )

_LOG = logging.getLogger("kebab.lake")
_IDS_PER_DELETE = 1000
_IDS_PER_FILTER = 100
"""As many as a filter takes."""
OF_PASSAGES = ("documents", "passages", "vector_sums", "terms", "symbols")
"""Tables that are made anew for the vectors of another model."""
_OF_DOCUMENT = ("doc_id", "state", "chunk_count", "vector_count", "asset_id")
RANKED, SURFACE = "r", "s"
"""Kinds of `terms`: those that are ranked, with the number of passages, and words as written, without."""


class PublishedBase(NamedTuple):
    """A base whose state is published. Nothing else writes to its documents meanwhile."""

    documents: DocumentStore
    terms: LexicalIndex
    embeddings: EmbeddingRepo
    source_files: SourceFileStore
    log: PublicationLog


class _Difference(NamedTuple):
    """Documents that differ between a base and the tables."""

    changed: Mapping[DocumentId, str]
    """Those to write, with the state of each, by id."""
    replaced: Sequence[Row]
    """Rows of those to remove: of changed ones, and of ones that are gone."""


class _Counts(NamedTuple):
    """Numbers of rows."""

    documents: int
    passages: int
    vectors: int


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
            with base.log.one_state():
                head, changes = self._publish(base)
            base.log.note_publication(self._publication_of(head), changes)
            self._clean()
        return head

    def _publication_of(self, head: Head) -> str:
        """Return the name of a publication for the log of the base."""
        return hash_bytes(f"{self._lake.path}\n{head.model_dump_json()}".encode())

    def _publish(self, base: PublishedBase) -> tuple[Head, Mapping[DocumentId, str]]:
        """Publish, and return the head with the changes of the log that it has."""
        revision = (self._heads.list_revisions() or [EMPTY])[-1] + 1
        head = self._heads.read_newest()
        active, latest = base.embeddings.active_model(), base.embeddings.latest_model()
        used = active or (ActiveModel(latest, "{}") if latest else None)
        model = used and used.identity
        dimensions = model.dimensions if model else None
        is_kept = head is not None and head.model == model
        tables = self._recover(
            head, anew=() if is_kept else OF_PASSAGES if head else NAMES, dimensions=dimensions
        )
        before = (
            _Counts(head.documents, head.passages, head.vectors) if head and is_kept else _Counts(0, 0, 0)
        )
        changes = base.log.list_changes(self._publication_of(head)) if head else None
        difference = _compare(base, tables["documents"], model, among=changes if is_kept else None)
        if _documents_after(before, difference) != sum(base.documents.count_by_source().values()):
            difference = _compare(base, tables["documents"], model, among=None)
        after = self._write(base, tables, model, difference, before=before)
        has_other_files = self._write_files(base, tables["files"])
        has_changed = bool(difference.changed or difference.replaced)
        found = self._describe(base, head, after, used, has_changed=has_changed)
        if head is not None and not (has_changed or has_other_files) and _is_same(head, found):
            return head, changes or {}
        for name, table in tables.items():
            if head is None or table.version != head.tables[name]:
                self._index(name, table, after.vectors)
        if not _is_whole(tables, difference, after):
            stale = stale_revision()
            raise stale
        versions = {name: table.version for name, table in tables.items()}
        found = found.model_copy(update={"tables": versions, "revision": revision})
        self._heads.put(found)
        return found, changes or {}

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
            self._drop_surface_words(tables)
            self._drop_assets(tables, {row["asset_id"] for row in tables["assets"].scan(["asset_id"])})
            for name, table in tables.items():
                self._index(name, table, head.vectors, anew=True)
            versions = {name: table.version for name, table in tables.items()}
            update = {"tables": versions, "revision": revision, "published_at": self._clock.now()}
            head = head.model_copy(update=update)
            self._heads.put(head)
            self._clean()
        return head

    @staticmethod
    def _drop_surface_words(tables: Mapping[str, LakeTable]) -> None:
        """Remove the words as written that no passage has any more, which publications leave."""
        used = {word for row in tables["passages"].scan(["surface"]) for word in row["surface"].split()}
        known = (row["term"] for row in tables["terms"].scan(["term"], f"kind = '{SURFACE}'"))
        for words in batches([word for word in known if word not in used], _IDS_PER_DELETE):
            tables["terms"].delete(f"kind = '{SURFACE}' AND {one_of('term', words)}")

    def _index(self, name: str, table: LakeTable, vectors: int, *, anew: bool = False) -> None:
        """Bring the indexes of a table up to date, or build them anew.

        Raises:
            StaleRevisionError: Another process has written to it since it was opened.
        """
        self._lease.renew()
        rows = table.count()
        is_alone = table.is_alone
        if is_alone:
            build = table.rebuild if anew else table.build_indexes
            build(name, vectors)
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
        model: EmbeddingIdentity | None,
        difference: _Difference,
        *,
        before: _Counts,
    ) -> _Counts:
        """Replace the rows of changed documents, remove those of gone ones, and count their terms again.

        Returns:
            The numbers of rows that there are then.
        """
        import numpy as np

        words: set[str] = set()
        sums = VectorSums(model.dimensions, tables["vector_sums"].scan(COLUMNS)) if model else None
        for rows in batches(difference.replaced, _IDS_PER_DELETE):
            of_documents = one_of("doc_id", (row["doc_id"] for row in rows))
            if sums is not None:
                sums.add(*tables["passages"].read_vectors(of_documents, column="lang"), times=-1)
            for row in tables["passages"].scan(["ranked"], of_documents):
                words.update(row["ranked"].split())
            for name in ("passages", "symbols", "documents"):
                if tables[name].count(of_documents):
                    tables[name].delete(of_documents)
        counts = Counter(before._asdict())
        counts.subtract(_counts_of(difference.replaced)._asdict())
        for ids in batches(list(difference.changed), self._batch):
            self._lease.renew()
            stored = list(_read(base, ids, model, difference.changed))
            passages = [row for each in stored for row in passage_rows(each, with_vectors=model is not None)]
            tables["passages"].add(passages)
            if sums is not None and (embedded := [row for row in passages if row["vector"] is not None]):
                sums.add([row["lang"] for row in embedded], np.stack([row["vector"] for row in embedded]))
            tables["symbols"].add([row for each in stored for row in symbol_rows(each)])
            self._keep_assets(base, tables["assets"], stored)
            surface: set[str] = set()
            for row in passages:
                words.update(row["ranked"].split())
                surface.update(row["surface"].split())
            rows = [{"kind": SURFACE, "term": word, "frequency": 0} for word in sorted(surface)]
            tables["terms"].upsert(["kind", "term"], rows, update=False)
            documents = list(map(document_row, stored))
            tables["documents"].add(documents)
            counts.update(_counts_of(documents)._asdict())
        self._count_terms(base, tables["terms"], sorted(words))
        self._drop_assets(tables, {row["asset_id"] for row in difference.replaced})
        if sums is not None and (difference.changed or difference.replaced):
            tables["vector_sums"].delete("true")
            tables["vector_sums"].add(sums.rows())
        return _Counts(**counts)

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
    def _drop_assets(tables: Mapping[str, LakeTable], asset_ids: AbstractSet[str]) -> None:
        """Remove the bytes of those of some files that no document has any more."""
        for ids in batches(sorted(asset_ids), _IDS_PER_DELETE):
            kept = {
                row["asset_id"] for row in tables["documents"].scan(["asset_id"], one_of("asset_id", ids))
            }
            unused = one_of("asset_id", (each for each in ids if each not in kept))
            if tables["assets"].count(unused):
                tables["assets"].delete(unused)

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
        counts: _Counts,
        used: ActiveModel | None,
        *,
        has_changed: bool,
    ) -> Head:
        """Describe the next revision, without its number and tables."""
        model = used and used.identity
        before = 0 if head is None else head.corpus_revision
        version = base.embeddings.content_version()
        if head is not None:  # a new stamp of a file is no change of what is found
            has_changed = head.model != model or (has_changed and head.content_version != version)
        now = self._clock.now()
        centroids = None if model is None else base.embeddings.query_centroids(model)
        return Head(
            format=FORMAT,
            revision=EMPTY,
            tables={},
            corpus_revision=before + has_changed,
            content_version=version,
            documents=counts.documents,
            documents_pending=base.documents.coverage(now=now, stale_threshold_days=0).documents_pending,
            passages=counts.passages,
            vectors=counts.vectors,
            analyzer_version=base.terms.analyzer_version(),
            model=model,
            is_complete=model is not None and counts.vectors == counts.passages,
            model_settings=used.settings_json if used else "{}",
            query_centroids=None if centroids is None else centroids.decode(),
            query_centroids_version=None if model is None else base.embeddings.query_centroids_version(model),
            published_at=now,
            writer=self._writer,
            requires=lance_version(),
        )

    def _clean(self) -> None:
        """Remove heads that no reader may use any more, and what they alone name of the tables."""
        if not self._heads.remove_superseded(before=self._clock.now() - self._retention):
            return
        kept = [head for each in self._heads.list_revisions() if (head := self._heads.read(each)) is not None]
        for name in NAMES:
            self._lake.open(name).clean(kept={head.tables[name] for head in kept})


def _compare(
    base: PublishedBase,
    table: LakeTable,
    model: EmbeddingIdentity | None,
    *,
    among: Collection[DocumentId] | None,
) -> _Difference:
    """Compare the documents of a base with those of a table, some or all."""
    states = base.log.list_states(model, among=among)
    known: dict[str, Row] = {row["doc_id"]: row for row in _rows_of(table, _OF_DOCUMENT, among)}
    changed = {
        doc_id: states[doc_id]
        for doc_id in sorted(states)
        if doc_id not in known or known[doc_id]["state"] != states[doc_id]
    }
    removed = [known[doc_id] for doc_id in sorted(known) if doc_id in changed or doc_id not in states]
    return _Difference(changed, removed)


def _rows_of(
    table: LakeTable, columns: Sequence[str], doc_ids: Collection[DocumentId] | None
) -> Iterator[Row]:
    """Yield rows of some documents, or of all."""
    if doc_ids is None:
        yield from table.scan(columns)
    for ids in batches(sorted(doc_ids or ()), _IDS_PER_DELETE):
        yield from table.scan(columns, one_of("doc_id", ids))


def _counts_of(documents: Sequence[Row]) -> _Counts:
    """Count rows of documents, and what they have."""
    passages, vectors = (sum(row[column] for row in documents) for column in ("chunk_count", "vector_count"))
    return _Counts(len(documents), passages, vectors)


def _documents_after(before: _Counts, difference: _Difference) -> int:
    """Return the number of documents that there will be."""
    return before.documents - len(difference.replaced) + len(difference.changed)


def _is_whole(tables: Mapping[str, LakeTable], difference: _Difference, counts: _Counts) -> bool:
    """Return True if the tables have the rows that were written, all of them indexed, and as many others as before."""
    documents, passages = tables["documents"], tables["passages"]
    is_whole = (documents.count(), passages.count()) == (counts.documents, counts.passages)
    for ids in batches(list(difference.changed) if is_whole else (), _IDS_PER_DELETE):
        rows = list(_rows_of(documents, _OF_DOCUMENT, ids))
        is_whole &= {row["doc_id"]: row["state"] for row in rows} == {
            doc_id: difference.changed[doc_id] for doc_id in ids
        }
        is_whole &= passages.count(one_of("doc_id", ids)) == _counts_of(rows).passages
    return is_whole and not (counts.passages and passages.count_unindexed())


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
