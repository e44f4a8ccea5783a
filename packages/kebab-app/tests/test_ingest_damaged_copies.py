"""Kept copies of files whose bytes were changed by something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from kebab_core import DocFilter, FetchDocument, StorageError

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base


def copies(base: Base) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (base.data_dir / "assets").glob("*/*")}


def damage_copy(base: Base, held: bytes, now: bytes) -> None:
    (copy,) = [path for path in (base.data_dir / "assets").glob("*/*") if path.read_bytes() == held]
    copy.write_bytes(now)


def kept(base: Base) -> tuple[bool, str | None]:
    (check,) = [check for check in base.app.doctor().checks if check.name == "assets_kept"]
    return check.ok, say(check)


@pytest.mark.parametrize("damage", [b"", b"garbage"])
def test_damaged_copy_is_noticed_by_the_doctor_and_mended_by_the_run_it_names(
    base: Base, damage: bytes
) -> None:
    base.write("a.md", "one")
    base.write("b.md", "two")
    base.ingest()
    before = copies(base)
    damage_copy(base, b"one", damage)

    assert kept(base) == (False, "kebab ingest --verify")
    base.ingest(verify=True)

    assert copies(base) == before
    assert kept(base) == (True, None)


@pytest.mark.parametrize("option", ["verify", "force"])
def test_copy_damaged_without_a_change_of_its_size_is_mended(base: Base, option: str) -> None:
    base.write("a.md", "one")
    base.ingest()
    before = copies(base)
    damage_copy(base, b"one", b"eno")

    base.ingest(**{option: True})

    assert copies(base) == before


def test_reading_a_damaged_copy_names_the_run_that_mends_it(base: Base) -> None:
    base.write("a.md", "one")
    base.ingest()
    damage_copy(base, b"one", b"eno")
    (document,) = base.app.list_documents(DocFilter())

    with pytest.raises(StorageError) as caught:
        base.app.fetch(FetchDocument(doc_id=document.doc_id))

    assert say(caught.value) == "kebab ingest --verify"
