"""The use cases of `kebab lake`: checks, compaction and copies."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from kebab_core import ConfigInvalidError, Message, Remedy, StorageError
from kebab_diagnose import HealthReport, Problem, iter_checks

from kebab_app.ingest import require_own_documents
from kebab_app.lake import build_committer, describe_revision, open_revision, require_lake_package
from kebab_app.store import hold_writer_lock

if TYPE_CHECKING:
    from pathlib import Path

    from kebab_diagnose import Check
    from kebab_store_lake import LakeRevision, Mirroring

    from kebab_app.knowledge_base import KnowledgeBase

_SHOWN_IDS = 5


@dataclass(frozen=True, kw_only=True)
class LakeCompaction:
    """Result of a compaction."""

    lake: str
    revision: int
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, kw_only=True)
class LakeCopy:
    """Result of a copy."""

    lake: str
    folder: Path
    copied: Mirroring


@dataclass(frozen=True)
class LakeMaintenance:
    """Use cases of the lake that a base publishes to or reads."""

    base: KnowledgeBase

    def verify(self) -> HealthReport:
        """Read the whole newest revision, and compare it with its head.

        Raises:
            ConfigInvalidError: No lake is set.
            DependencyMissingError: The package of lakes is not installed.
        """
        require_lake_package()
        checks = _Checks(self.base, self._lake())
        results = iter_checks(
            {**checks.of_health, "lake_rows": checks.check_rows, "lake_contents": checks.check_contents},
            advise_on_damage=lambda: checks.copy_again,
        )
        return HealthReport(checks=tuple(results))

    def compact(self) -> LakeCompaction:
        """Build the indexes anew, merge files, and remove what is older than `storage.retention_h`; a revision more.

        Raises:
            ConfigInvalidError: No lake is set.
            DependencyMissingError: The package of lakes is not installed.
            ReadonlyModeError: Writing is switched off, or the lake is another base's.
            NotIndexedError: Nothing has been published.
            LockedError: Another process is writing, or another base is being published.
            StorageError: The lake cannot be written.
        """
        lake, base = self._lake(), self.base
        require_own_documents(base)
        base.require_writable()
        storage = base.loaded.settings.storage
        committer = build_committer(lake, storage, data_dir=base.data_dir, clock=base.clock)
        from kebab_store_lake import objects_of

        objects = objects_of(lake)
        with hold_writer_lock(base.data_dir, remedy=Remedy(kind="wait_for_writer")):
            before = sum(objects.list_sizes().values())
            head = committer.compact()
            after = sum(objects.list_sizes().values())
        return LakeCompaction(lake=lake, revision=head.revision, bytes_before=before, bytes_after=after)

    def mirror(self) -> LakeCopy:
        """Bring the copy in `storage.mirror` up to date.

        Raises:
            ConfigInvalidError: No lake is set, or no folder for the copy.
            DependencyMissingError: The package of lakes is not installed.
            ReadonlyModeError: Writing is switched off.
            NotIndexedError: Nothing has been published.
            StorageError: The lake cannot be read, or the folder not written.
        """
        folder, lake = self.base.loaded.paths.mirror, self._set_lake()
        if folder is None:
            missing = _not_set("storage.mirror")
            raise missing
        self.base.require_writable()
        require_lake_package()
        from kebab_store_lake import mirror_lake

        return LakeCopy(lake=lake, folder=folder, copied=mirror_lake(lake, folder))

    def _set_lake(self) -> str:
        if (lake := self.base.loaded.paths.lake) is None:
            missing = _not_set("storage.lake")
            raise missing
        return lake

    def _lake(self) -> str:
        """Return the lake that the base reads, or publishes to."""
        lake = self._set_lake()
        return self.base.lake if self.base.reads_lake else lake


class _Checks:
    """Checks of a lake."""

    def __init__(self, base: KnowledgeBase, lake: str) -> None:
        self._base = base
        self._lake = lake

    @property
    def of_health(self) -> dict[str, Check]:
        """Those that take little time."""
        checks: dict[str, Check] = {"lake_readable": self.describe, "lake_indexed": self.check_indexed}
        if not self._base.reads_lake:
            checks["lake_fenced"] = self.check_fence
        return checks

    @cached_property
    def revision(self) -> LakeRevision:
        """The newest one."""
        return open_revision(self._lake, self._base.loaded.settings.storage)

    @property
    def copy_again(self) -> Remedy:
        """Remedy for damaged files."""
        advice = Message("delete {lake}: nothing is lost", lake=self._lake)
        is_copy = self._base.reads_lake and self._base.loaded.paths.mirror is not None
        return Remedy(advice=advice, then=Remedy(kind="mirror_lake" if is_copy else "ingest"))

    def describe(self) -> Message:
        """Describe the newest revision."""
        storage = self._base.loaded.settings.storage
        return describe_revision(self._lake, storage, now=self._base.clock.now())

    def check_indexed(self) -> Message | Problem:
        """Check that words of all passages are found."""
        from kebab_store_lake import count_unindexed

        if count := count_unindexed(self.revision):
            missing = Message("{count} passages are not in the full-text index", count=count)
            return Problem(missing, remedy=Remedy(kind="compact_lake"))
        return Message("every passage is in the full-text index")

    def check_fence(self) -> Message | Problem:
        """Check that the store keeps two committers apart; an object is made and removed."""
        from kebab_store_lake import has_conditional_put, objects_of

        if has_conditional_put(objects_of(self._lake)):
            return Message("the store makes an object once")
        return Problem(
            Message("the store writes over objects: two processes could publish at once"),
            remedy=Remedy(kind="change_setting", setting="storage.lake"),
        )

    def check_rows(self) -> Message | Problem:
        """Check that tables have as many rows as their head says."""
        from kebab_store_lake import list_miscounted

        if found := list_miscounted(self.revision):
            names = ", ".join(found)
            return Problem(Message("not as many rows as published: {names}", names=names), self.copy_again)
        head = self.revision.head
        return Message(
            "{documents} documents, {passages} passages", documents=head.documents, passages=head.passages
        )

    def check_contents(self) -> Message | Problem:
        """Check that everything can be read and is what it is named."""
        from kebab_store_lake import list_damaged

        try:
            found = list_damaged(self.revision)
        except StorageError as error:  # damage, or a network that fails
            return Problem(error.message, Remedy(kind="retry", otherwise=self.copy_again))
        if found:
            shown = ", ".join(found[:_SHOWN_IDS])
            damaged = Message("{count} documents or passages are damaged: {ids}", count=len(found), ids=shown)
            return Problem(damaged, self.copy_again)
        return Message("everything can be read")


def lake_checks(base: KnowledgeBase) -> dict[str, Check]:
    """Return the checks of the lake that a base publishes to or reads; none where none is set."""
    lake = base.loaded.paths.lake
    return {} if lake is None else _Checks(base, base.lake if base.reads_lake else lake).of_health


def _not_set(setting: str) -> ConfigInvalidError:
    return ConfigInvalidError("{key} is not set", remedy=Remedy(kind="set", setting=setting), key=setting)
