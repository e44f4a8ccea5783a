"""`kebab lake`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kebab_cli.exit_codes import SUCCESS, UNHEALTHY
from kebab_cli.language import tr
from kebab_cli.options import KebabGroup
from kebab_cli.render import Console, safe
from kebab_cli.session import Session, pass_session

if TYPE_CHECKING:
    from kebab_wire import LakeCompactionV1, LakeCopyV1


@click.group(cls=KebabGroup)
def command() -> None:
    """Verify, compact and copy the lake of a team.

    A lake is a folder or bucket that `kebab ingest` publishes to (storage.lake). Needs kebab-cli[lake].

    Examples:
      kebab lake verify
      kebab lake compact
      kebab lake mirror
    """


@command.command("verify")
@pass_session
def verify(session: Session, /) -> int:
    """Read the newest revision of the lake and compare it with what was published.

    Checks the number of rows, the indexes and every document and passage. Exit code 3: a check failed.

    Examples:
      kebab lake verify
      kebab lake verify --json
    """
    from kebab_app import LakeMaintenance
    from kebab_wire import wire_doctor

    from kebab_cli.commands.doctor import render_doctor
    from kebab_cli.remedies import render_remedy

    with session.open_app() as app:
        report = wire_doctor(LakeMaintenance(app.base).verify(), render=render_remedy)
    session.console.show(report, render_doctor)
    return SUCCESS if report.ok else UNHEALTHY


@command.command("compact")
@pass_session
def compact(session: Session, /) -> None:
    """Rebuild the indexes of the lake and remove files that no reader needs.

    Removes what was replaced or deleted more than storage.retention_h ago. Runs where the lake is published; readers
    go on meanwhile.

    Examples:
      kebab lake compact
      kebab lake compact --json
    """
    from kebab_app import LakeMaintenance
    from kebab_wire import wire_lake_compaction

    with session.open_app() as app:
        report = wire_lake_compaction(LakeMaintenance(app.base).compact())
    session.console.show_change(report, render_compaction)


@command.command("mirror")
@pass_session
def mirror(session: Session, /) -> None:
    """Copy the lake to the folder in storage.mirror, where searches then read.

    Copies only files that are new; run it again to get the newest revision.

    Examples:
      kebab lake mirror
      kebab lake mirror --json
    """
    from kebab_app import LakeMaintenance
    from kebab_wire import wire_lake_copy

    with session.open_app() as app:
        report = wire_lake_copy(LakeMaintenance(app.base).mirror())
    session.console.show_change(report, render_copy)


def render_compaction(console: Console, report: LakeCompactionV1) -> None:
    """Print the new revision, and the size of the lake before and after."""
    from kebab_cli.byte_progress import megabytes

    console.line(
        tr(
            "revision {revision} of {lake}: {before} before, {after} now",
            revision=report.revision,
            lake=safe(report.lake),
            before=megabytes(report.bytes_before),
            after=megabytes(report.bytes_after),
        )
    )


def render_copy(console: Console, report: LakeCopyV1) -> None:
    """Print the revision, and what was copied and removed."""
    from kebab_cli.byte_progress import megabytes

    console.line(
        tr(
            "revision {revision} is in {folder}: {copied} files copied ({size}), {removed} removed",
            revision=report.revision,
            folder=safe(report.folder),
            copied=report.copied_files,
            size=megabytes(report.copied_bytes),
            removed=report.removed_files,
        )
    )
