"""Reset deletes what kebab made and what the configuration in force points to, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, ResetScope
from kebab_config import load_settings
from kebab_core import LockedError, NotIndexedError, SearchMode, SearchQuery, StorageError
from kebab_store_sqlite import hold_writer_lock

from tests.remedies import say

if TYPE_CHECKING:
    from conftest import Base, Embedding


def filled(base: Base) -> None:
    base.write("a.md", "# a")
    base.ingest()


def test_data_only_deletes_the_data_folder_and_keeps_configuration_and_notes(base: Base) -> None:
    filled(base)

    report = base.app.reset(ResetScope.DATA_ONLY)

    assert not base.data_dir.exists()
    assert base.config_path.exists()
    assert (base.root / "a.md").exists()
    assert base.data_dir / "kebab.sqlite" in report.removed_paths
    assert report.scope == "data_only"


def test_all_deletes_the_configuration_too(base: Base) -> None:
    filled(base)

    report = base.app.reset(ResetScope.ALL)

    assert not base.data_dir.exists()
    assert not base.config_path.exists()
    assert (base.root / "a.md").exists()
    assert base.config_path in report.removed_paths


def test_config_only_deletes_the_configuration_and_leaves_the_data_untouched(base: Base) -> None:
    filled(base)
    base.close()
    before = sorted(base.data_dir.rglob("*"))

    report = base.app.reset(ResetScope.CONFIG_ONLY)

    assert report.removed_paths == (base.config_path,)
    assert sorted(base.data_dir.rglob("*")) == before


def test_vector_only_deletes_vectors_only(base: Base) -> None:
    filled(base)
    (base.data_dir / "vectors" / f"{'0' * 32}.lance").mkdir(parents=True)

    report = base.app.reset(ResetScope.VECTOR_ONLY)

    assert report.removed_paths == (base.data_dir / "vectors",)
    assert base.paths() == ["a.md"]


@pytest.mark.parametrize("scope", [ResetScope.ALL, ResetScope.DATA_ONLY])
def test_foreign_files_in_the_data_folder_stay(base: Base, scope: ResetScope) -> None:
    filled(base)
    foreign = base.data_dir / "thesis.odt"
    foreign.write_text("mine", encoding="utf-8")

    base.app.reset(scope)

    assert [path.name for path in base.data_dir.iterdir()] == ["thesis.odt"]


@pytest.mark.parametrize("scope", [ResetScope.ALL, ResetScope.DATA_ONLY, ResetScope.VECTOR_ONLY])
def test_folder_that_kebab_never_used_is_left_alone_whatever_its_names(base: Base, scope: ResetScope) -> None:
    for name in ("models", "logs", "assets", "vectors", "lancedb", "cache"):
        (base.data_dir / name).mkdir(parents=True)

    base.app.reset(scope)

    assert len(list(base.data_dir.iterdir())) == 6


def test_plan_names_what_reset_deletes(base: Base) -> None:
    filled(base)

    planned = set(base.app.plan_reset(ResetScope.ALL))

    assert planned == set(base.app.reset(ResetScope.ALL).removed_paths)


def test_reset_with_another_configuration_touches_only_its_own(base: Base, tmp_path: Path) -> None:
    filled(base)
    other = tmp_path / "other.toml"
    other.write_text(f'[storage]\ndata_dir = "{tmp_path / "other"}"\n', encoding="utf-8")

    with App(load_settings(config_path=other, environ=base.environ)) as app:
        app.reset(ResetScope.ALL)

    assert not other.exists()
    assert base.config_path.exists()
    assert base.paths() == ["a.md"]


def test_all_deletes_logs_that_lie_outside_the_data_folder(base: Base) -> None:
    overrides = {"workspace.root": str(base.root), "models.embedding.provider": "none"}
    loaded = load_settings(config_path=None, environ=base.environ, overrides=overrides)
    with App(loaded) as app:
        app.ingest()
        assert list(loaded.paths.log_dir.iterdir())
        app.reset(ResetScope.ALL)

    assert not loaded.paths.log_dir.exists()
    assert not loaded.paths.data_dir.exists()


def test_reset_of_nothing_deletes_and_makes_nothing(base: Base) -> None:
    for scope in (ResetScope.DATA_ONLY, ResetScope.VECTOR_ONLY, ResetScope.ORPHANS_ONLY):
        assert base.app.reset(scope).removed_paths == ()

    assert not base.data_dir.exists()


def test_knowledge_base_is_usable_after_a_reset(base: Base) -> None:
    filled(base)
    base.app.reset(ResetScope.DATA_ONLY)

    with pytest.raises(NotIndexedError):
        base.paths()
    assert base.ingest().counts == {"scanned": 1, "new": 1}


def test_ingest_after_a_reset_by_somebody_else_writes_where_others_read(base: Base) -> None:
    filled(base)
    with App(base.load(), clock=base.clock) as other:
        other.reset(ResetScope.DATA_ONLY)

    assert base.ingest().counts == {"scanned": 1, "new": 1}
    base.close()
    assert base.paths() == ["a.md"]


@pytest.mark.parametrize(
    "scope", [ResetScope.ALL, ResetScope.DATA_ONLY, ResetScope.ORPHANS_ONLY, ResetScope.VECTOR_ONLY]
)
def test_reset_while_another_writes_is_refused(base: Base, scope: ResetScope) -> None:
    filled(base)

    with hold_writer_lock(base.data_dir), pytest.raises(LockedError) as caught:
        base.app.reset(scope)

    assert "--wait" not in str(say(caught.value))
    assert base.paths() == ["a.md"]


DATA_SCOPES = pytest.mark.parametrize("scope", [ResetScope.ALL, ResetScope.DATA_ONLY])


def move_away(path: Path, elsewhere: Path) -> Path:
    """Put a file or folder on "another disk", with a link in its place."""
    elsewhere.parent.mkdir(parents=True, exist_ok=True)
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere)
    return elsewhere


@DATA_SCOPES
def test_what_kebab_keeps_behind_a_link_in_the_data_folder_is_deleted_and_named(
    base: Base, scope: ResetScope
) -> None:
    filled(base)
    base.close()
    elsewhere = move_away(base.data_dir / "assets", base.home / "big disk")
    copies = sorted(elsewhere.iterdir())

    report = base.app.reset(scope)

    assert not list(elsewhere.iterdir())
    assert [path.name for path in base.data_dir.iterdir()] == ["assets"]
    assert set(copies) < set(report.removed_paths)
    assert not [path for path in report.removed_paths if path.exists()]


@DATA_SCOPES
def test_files_of_the_user_behind_a_link_in_the_data_folder_stay(base: Base, scope: ResetScope) -> None:
    filled(base)
    base.close()
    elsewhere = move_away(base.data_dir / "assets", base.home / "big disk")
    (elsewhere / "thesis.odt").write_text("mine", encoding="utf-8")
    pictures = base.home / "pictures"
    pictures.mkdir()
    (pictures / "cat.png").write_bytes(b"cat")
    (base.data_dir / "runs").symlink_to(pictures)

    base.app.reset(scope)

    assert [path.name for path in elsewhere.rglob("*") if path.is_file()] == ["thesis.odt"]
    assert (pictures / "cat.png").exists()


@DATA_SCOPES
def test_a_data_folder_that_is_a_link_is_emptied_and_stays(base: Base, scope: ResetScope) -> None:
    filled(base)
    base.close()
    elsewhere = move_away(base.data_dir, base.home / "big disk")

    report = base.app.reset(scope)

    assert not list(elsewhere.iterdir())
    assert base.data_dir.is_symlink()
    assert base.data_dir / "kebab.sqlite" in report.removed_paths
    assert base.config_path.exists() is (scope is ResetScope.DATA_ONLY)
    assert base.ingest().counts == {"scanned": 1, "new": 1}


@DATA_SCOPES
def test_a_database_that_is_a_link_is_deleted_where_it_lies(base: Base, scope: ResetScope) -> None:
    filled(base)
    base.close()
    elsewhere = move_away(base.data_dir / "kebab.sqlite", base.home / "big disk" / "notes.db")

    report = base.app.reset(scope)

    assert not elsewhere.exists()
    assert not base.data_dir.exists()
    assert elsewhere in report.removed_paths


def test_vectors_behind_a_link_are_deleted_and_the_rest_stays(base: Base) -> None:
    filled(base)
    base.close()
    for index in ("0" * 32, "others"):
        (base.data_dir / "vectors" / f"{index}.lance").mkdir(parents=True)
        (base.data_dir / "vectors" / f"{index}.lance" / "piece").write_bytes(b"1")
    elsewhere = move_away(base.data_dir / "vectors", base.home / "big disk")

    report = base.app.reset(ResetScope.VECTOR_ONLY)

    assert report.removed_paths == (elsewhere / f"{'0' * 32}.lance" / "piece",)
    assert [path.parent.name for path in elsewhere.rglob("*") if path.is_file()] == ["others.lance"]
    assert base.paths() == ["a.md"]


@pytest.mark.parametrize("scope", [ResetScope.VECTOR_ONLY, ResetScope.CONFIG_ONLY, ResetScope.ORPHANS_ONLY])
def test_links_are_no_matter_to_a_reset_of_less(base: Base, scope: ResetScope) -> None:
    filled(base)
    base.close()
    move_away(base.data_dir / "assets", base.home / "copies")
    move_away(base.data_dir, base.home / "big disk")
    base.write("b.md", "# b")
    base.ingest()
    base.write("kebab.md", "# kept")
    (base.root / "b.md").unlink()

    report = base.app.reset(scope)

    if scope is ResetScope.ORPHANS_ONLY:
        assert report.purged_paths == ("b.md",)
        assert len(base.asset_files()) == 1
    else:
        assert base.paths() == ["a.md", "b.md"]
    assert base.data_dir.is_symlink()


def test_copies_of_an_orphan_go_with_its_words(base: Base) -> None:
    base.write("a.md", "# a")
    base.write("b.md", "# xylographquartz")
    base.ingest()
    (base.root / "b.md").unlink()

    base.app.reset(ResetScope.ORPHANS_ONLY)
    base.close()

    assert not [p for p in base.data_dir.rglob("*") if p.is_file() and b"ylographquartz" in p.read_bytes()]


def two_sources(base: Base) -> None:
    base.set_sources(
        {"id": "kept", "root": str(base.home / "kept")}, {"id": "dropped", "root": str(base.home / "dropped")}
    )
    base.write("a.md", "# a", root=base.home / "kept")
    base.write("b.md", "# b", root=base.home / "dropped")
    base.ingest()


def test_orphans_of_a_source_that_was_dropped_are_purged_with_their_assets(base: Base) -> None:
    two_sources(base)
    base.set_sources({"id": "kept", "root": str(base.home / "kept")})
    base.ingest()
    assert base.paths() == ["dropped:b.md", "kept:a.md"]

    report = base.app.reset(ResetScope.ORPHANS_ONLY)

    assert report.purged_paths == ("b.md",)
    assert base.paths() == ["kept:a.md"]
    assert len(base.asset_files()) == 1


def test_source_whose_root_is_not_mounted_has_no_orphans(base: Base) -> None:
    two_sources(base)
    (base.home / "kept").rename(base.home / "away")
    base.set_sources({"id": "kept", "root": str(base.home / "kept")})

    report = base.app.reset(ResetScope.ORPHANS_ONLY)

    assert report.purged_paths == ("b.md",)
    assert base.paths() == ["kept:a.md"]


def test_folder_that_cannot_be_read_has_no_orphans(
    base: Base, make_unreadable: Callable[[Path], Path]
) -> None:
    base.write("sub/a.md", "# a")
    gone = base.write("b.md", "# b")
    base.ingest()
    gone.unlink()
    make_unreadable(base.root / "sub")

    assert base.app.reset(ResetScope.ORPHANS_ONLY).purged_paths == ("b.md",)


def test_nothing_is_an_orphan_after_an_ingest(base: Base) -> None:
    filled(base)

    assert base.app.reset(ResetScope.ORPHANS_ONLY).purged_paths == ()
    assert base.paths() == ["a.md"]


def test_data_folder_that_is_a_file_is_an_error_of_storage(base: Base) -> None:
    base.data_dir.write_text("", encoding="utf-8")

    with pytest.raises(StorageError):
        base.ingest()

    assert base.app.reset(ResetScope.DATA_ONLY).removed_paths == ()
    assert base.data_dir.is_file()


def test_files_of_the_users_own_survive_ingest_and_reset(base: Base) -> None:
    own = [
        base.data_dir / name
        for name in (
            "assets/icons/i.svg",
            "assets/photo.jpg",
            "assets/ab/notes.txt",
            "models/b.bin",
            "logs/my.log",
        )
    ]
    for path in own:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine", encoding="utf-8")
    base.write("a.md", "text")
    base.ingest()
    base.app.reset(ResetScope.DATA_ONLY)

    assert [path.read_text(encoding="utf-8") for path in own] == ["mine"] * len(own)
    left = sorted(p.relative_to(base.data_dir).as_posix() for p in base.data_dir.rglob("*") if p.is_file())
    assert left == sorted(p.relative_to(base.data_dir).as_posix() for p in own)


def test_vectors_that_are_reset_are_made_again(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# A\n\none\n\n## B\n\ntwo\n")
    base.ingest()
    asked = len(embedding.texts)
    stored = count_vectors(base)
    report = base.app.reset(ResetScope.VECTOR_ONLY)
    assert report.removed_paths == (base.data_dir / "vectors",)
    assert report.dropped_vectors == stored
    assert count_vectors(base) == 0
    assert embedding.counts() == (2, 0, 0)
    assert base.app.base.index.embeddings.pending_documents(embedding.embedder.identity) == 1
    assert base.app.search(SearchQuery(text="one", mode=SearchMode.LEXICAL)).hits
    assert base.app.embed().counts.embeddings_indexed == len(base.chunk_ids())
    assert embedding.texts[asked:] == embedding.texts[:asked]
    embedding.assert_complete()


def count_vectors(base: Base) -> int:
    with base.app.base.open_for_reading().reading() as connection:
        return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


@DATA_SCOPES
def test_vectors_go_with_the_data_folder(base: Base, embedding: Embedding, scope: ResetScope) -> None:
    base.write("a.md", "# A\n\none\n")
    base.ingest()
    assert embedding.stored
    base.app.reset(scope)
    assert not base.data_dir.exists()


def test_vectors_of_orphans_are_not_found(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# A\n\none\n")
    gone = base.write("b.md", "# B\n\ntwo\n")
    base.ingest()
    gone.unlink()
    assert base.app.reset(ResetScope.ORPHANS_ONLY).purged_paths == ("b.md",)
    assert {hit.chunk_id for hit in embedding.nearest()} == embedding.stored == base.chunk_ids()


def test_a_file_of_the_user_in_the_folder_of_vectors_stays(base: Base, embedding: Embedding) -> None:
    base.write("a.md", "# A\n\none\n")
    base.ingest()
    own = base.data_dir / "vectors" / "thesis.odt"
    own.write_text("mine", encoding="utf-8")
    base.app.reset(ResetScope.VECTOR_ONLY)
    assert list((base.data_dir / "vectors").iterdir()) == [own]
    base.app.embed()
    embedding.assert_complete()
    base.app.reset(ResetScope.DATA_ONLY)
    assert [path for path in base.data_dir.rglob("*") if path.is_file()] == [own]
