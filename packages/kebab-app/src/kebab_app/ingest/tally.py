"""Counting what a run did."""

from __future__ import annotations

from collections import Counter, defaultdict

from kebab_core import (
    EmbeddingSummary,
    IngestCounts,
    IngestItem,
    IngestResult,
    SkipExample,
    SkippedPath,
    SkipReason,
    WorkspacePath,
)

MAX_SKIP_EXAMPLES = 5
_COUNT_FIELD = {
    IngestResult.NEW: "new",
    IngestResult.UPDATED: "updated",
    IngestResult.UNCHANGED: "unchanged",
    IngestResult.SKIPPED: "skipped",
    IngestResult.MOVED: "moved",
    IngestResult.REMOVED: "removed",
    IngestResult.ERROR: "errors",
}


class Tally:
    """Counters, skip reasons with examples and, unless only the sum is wanted, the items of one run."""

    def __init__(self, *, keep_items: bool) -> None:
        self._results: Counter[str] = Counter()
        self._reasons: Counter[SkipReason] = Counter()
        self._extensions: Counter[str] = Counter()
        self._examples: dict[SkipReason, list[str]] = defaultdict(list)
        self._items: list[IngestItem] | None = [] if keep_items else None
        self._chunks = 0
        self._scanned = 0
        self._held = 0
        self.embedding: EmbeddingSummary | None = None
        """What was done for vectors; None where nothing was to be done."""

    def see(self, number: int) -> None:
        """Count files that the scan met."""
        self._scanned += number

    def skip(self, skipped: SkippedPath) -> None:
        """Count a path that is not ingested under its one reason."""
        self._results["skipped"] += 1
        self._reasons[skipped.reason] += 1
        examples = self._examples[skipped.reason]
        if len(examples) < MAX_SKIP_EXAMPLES:
            examples.append(skipped.workspace_path)
        if skipped.reason is SkipReason.UNSUPPORTED_MEDIA:
            self._extensions[_extension(skipped.workspace_path)] += 1

    def miss_source(self) -> None:
        """Count a source whose folder could not be listed; no path inside it can stand for it in the list."""
        self._results["errors"] += 1

    def hold(self, count: int) -> None:
        """Count documents whose removal waits for the user's word."""
        self._held += count

    def add_unchanged(self, number: int) -> None:
        """Count files that are as they were; none of them is listed."""
        self._results["unchanged"] += number

    def add(self, item: IngestItem) -> None:
        """Count one file by its result; everything but unchanged files is listed."""
        self._results[_COUNT_FIELD[item.kind]] += 1
        if item.kind in {IngestResult.NEW, IngestResult.UPDATED, IngestResult.MOVED}:
            self._chunks += item.chunk_count or 0
        if self._items is not None and item.kind is not IngestResult.UNCHANGED:
            self._items.append(item)

    @property
    def counts(self) -> IngestCounts:
        """The counters so far."""
        return IngestCounts(
            scanned=self._scanned,
            chunks_indexed=self._chunks,
            removal_held=self._held,
            embeddings_indexed=self.embedding.computed + self.embedding.reused if self.embedding else 0,
            **{field: self._results[field] for field in _COUNT_FIELD.values()},
        )

    @property
    def items(self) -> tuple[IngestItem, ...] | None:
        """The items so far, in order of processing; None when only the sum is wanted."""
        return None if self._items is None else tuple(self._items)

    @property
    def skipped_by_reason(self) -> dict[SkipReason, int]:
        """Skips by reason, most first."""
        return dict(self._reasons.most_common())

    @property
    def skipped_by_extension(self) -> dict[str, int]:
        """Unsupported files by extension, most first."""
        return dict(self._extensions.most_common())

    @property
    def skip_examples(self) -> tuple[SkipExample, ...]:
        """Up to five paths for each reason."""
        return tuple(SkipExample(reason=r, paths=tuple(p)) for r, p in sorted(self._examples.items()))


def _extension(path: WorkspacePath) -> str:
    name = path.name
    _, dot, extension = name.rpartition(".")
    return extension.lower() if dot and name != f".{extension}" else "<no-ext>"
