"""Whether a matrix stands for its table, and which rows there are; told without a look at any of them."""

from __future__ import annotations

from kebab_core import DatabaseCorruptError

from kebab_store_vector.lance_errors import REMAKE_HINT
from kebab_store_vector.manifest import Intent, MatrixManifest, read_manifest
from kebab_store_vector.places import IndexPlace
from kebab_store_vector.table_versions import has_version, newest_stamp, stamp_of


def edition_at(place: IndexPlace) -> str | None:
    """Return what changes with every change of the rows of an index; None where there is none.

    Two folders with one edition hold the same rows: it is the hash of what Lance wrote with the last change, which
    names files by numbers drawn at random. Maintenance of a table whose matrix is lost changes it, too.
    """
    manifest = read_manifest(place.matrix)
    if manifest is not None and equals_table(place, manifest):
        return manifest.row_edition
    stamp = newest_stamp(place.table)
    return None if stamp is None else stamp.digest


def equals_table(place: IndexPlace, manifest: MatrixManifest) -> bool:
    """Return whether a matrix has all that calls which have returned wrote to the table.

    A call that has not returned may be seen as not yet made: while its intent stands, commits that it may have made
    are passed over. They stay passed over if it is killed: the next writer brings the matrix up to date first.
    """
    if stamp_of(place.table, manifest.table_version) != manifest.stamp:
        return False
    match manifest.intent:
        case None:
            return not has_version(place.table, manifest.table_version + 1)
        case Intent.WRITE:
            return not has_version(place.table, manifest.table_version + 2)
        case Intent.MAINTAIN:
            return True


def require_untouched(place: IndexPlace) -> None:
    """Refuse a table whose manifest is another than the one that its writer noted.

    Lance trusts its manifests: over a damaged one it may panic, or ask for more memory than there is, which ends the
    process.

    Raises:
        DatabaseCorruptError: The manifest was changed.
    """
    seen: MatrixManifest | None = None
    while (held := read_manifest(place.matrix)) is not None:
        stamp = stamp_of(place.table, held.table_version)
        if stamp is None or stamp == held.stamp:
            return
        if held == seen:
            raise DatabaseCorruptError(
                "the vector index is damaged: its manifest is not the one that was written",
                hint=REMAKE_HINT,
                index_id=place.index_id,
            )
        seen = held
