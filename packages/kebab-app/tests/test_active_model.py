from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from kebab_app import App, wiring
from kebab_config import LoadedSettings
from kebab_core import (
    ActiveModel,
    CancelToken,
    Embedder,
    EmbeddingIdentity,
    EmbeddingKind,
    EmbeddingSettings,
    SearchMode,
    SearchQuery,
    SearchResponse,
)
from kebab_embed_local import cpu_flags
from kebab_testing.fakes.embedder import BagOfWordsEmbedder

if TYPE_CHECKING:
    from conftest import Base

NEW = BagOfWordsEmbedder(dimensions=32, model_id="new")


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[[Path], Base]) -> Path:
    """The folder of a knowledge base with all vectors of the model that comes with kebab, which take a second."""
    base = make_base(tmp_path_factory.mktemp("embedded"))
    base.config["models.embedding"] = {"provider": "bundled"}
    base.write("cats.md", "# 고양이\n\n고양이는 낮에 잔다.\n")
    for topic in ("세금 신고", "기차 시간표", "사과 농사", "바다 여행", "책상 조립", "겨울 등산"):
        base.write(f"{topic}.md", f"# {topic}\n\n{topic}에 대한 메모이다.\n")
    base.ingest()
    base.close()
    return base.home


@pytest.fixture
def switched(base: Base, embedded: Path) -> Base:
    """A copy of it; another model is in force, without any vector."""
    shutil.copytree(embedded, base.home, dirs_exist_ok=True)
    base.config["models.embedding"] = {"provider": "bundled"}
    base.embedder = NEW
    cancel = CancelToken()
    cancel.cancel()
    base.app.embed(cancel=cancel)
    return base


def search(base: Base) -> SearchResponse:
    return base.app.search(SearchQuery(text="고양이는 언제 자는가", mode=SearchMode.VECTOR))


def model_of(response: SearchResponse) -> set[str | None]:
    return {hit.embedding_model for hit in response.hits}


def test_searches_use_the_complete_model_until_the_new_one_is_complete(switched: Base) -> None:
    found = search(switched)
    assert model_of(found) == {"multilingual-e5-small"}
    assert found.hits[0].doc_path == "cats.md"
    assert found.coverage.documents_pending == 0
    switched.app.embed()
    assert switched.app.base.search_embedder is NEW


def test_a_running_process_follows_the_new_model_once_another_has_completed_it(switched: Base) -> None:
    assert model_of(search(switched)) == {"multilingual-e5-small"}
    with App(switched.load(), clock=switched.clock, embedder=NEW) as other:
        other.embed()
    assert switched.app.base.search_embedder is NEW


def test_a_model_that_cannot_be_built_any_more_leaves_the_new_one_with_what_it_has(switched: Base) -> None:
    embeddings = switched.app.base.index.embeddings
    active = embeddings.active_model()
    assert active is not None
    embeddings.activate(active.identity, '{"provider": "onnx", "model": "gone"}')
    assert switched.app.base.search_embedder is NEW


def test_vectors_of_the_old_model_stay_for_the_way_back_until_they_are_deleted(switched: Base) -> None:
    embeddings = switched.app.base.index.embeddings
    old = embeddings.active_model()
    assert old is not None
    embeddings.evict(max_bytes=0)
    assert embeddings.counts(old.identity).committed == 7
    switched.app.embed()
    embeddings.evict(max_bytes=0)
    assert embeddings.counts(old.identity).committed == 7
    assert [each.identity for each in switched.app.models.delete_former()] == [old.identity]
    assert embeddings.embedded_models() == [NEW.identity]
    assert switched.app.models.delete_former() == ()


def test_vectors_that_searches_or_the_settings_need_are_not_deleted(switched: Base) -> None:
    assert switched.app.models.list_former() == ()
    switched.app.embed()
    switched.close()
    switched.embedder = None
    assert switched.app.models.list_former() == ()


def test_a_file_is_found_by_meaning_as_long_as_searches_use_the_complete_model(switched: Base) -> None:
    (vectors,) = [step.detail for step in switched.app.why("cats.md").steps if "searches use" in step.detail]
    assert vectors == "searches use multilingual-e5-small until every passage has a vector of new"
    assert all(passage.has_vector for passage in switched.app.why("cats.md").passages)


def test_a_query_is_embedded_once_by_the_model_of_the_search(switched: Base) -> None:
    asked = len([kind for _, kind in NEW.asked if kind is EmbeddingKind.QUERY])
    search(switched)
    assert len([kind for _, kind in NEW.asked if kind is EmbeddingKind.QUERY]) == asked


def test_the_key_of_one_server_is_not_sent_to_another(base: Base, monkeypatch: pytest.MonkeyPatch) -> None:
    base.config["models.embedding"] = {"provider": "none", "api_key_env": "NEW_KEY"}
    loaded = replace(base.load(), embedding_api_key="secret")
    keys: list[str | None] = []

    def build(former: LoadedSettings, *, readonly: bool) -> Embedder | None:
        assert readonly
        keys.append(former.embedding_api_key)
        return None

    monkeypatch.setattr(wiring, "build_embedder", build)
    for variable in ("NEW_KEY", "OLD_KEY", None):
        settings = EmbeddingSettings(provider="openai", endpoint="http://old", api_key_env=variable)
        wiring.build_former_embedder(loaded, ActiveModel(NEW.identity, settings.model_dump_json()))
    assert keys == ["secret", None, None]


needs_int8 = pytest.mark.skipif(
    not cpu_flags() & {"avx512_vnni", "avx_vnni"}, reason="`auto` is never int8 on this CPU"
)


def ingest_in(base: Base, precision: str) -> EmbeddingIdentity:
    """Ingest two notes as on a machine where `auto` is this precision; return the model of their vectors."""
    base.config["models.embedding"] = {"provider": "bundled", "precision": precision}
    base.write("cats.md", "# 고양이\n\n고양이는 낮에 잔다.\n")
    base.write("tax.md", "# 세금\n\n세금 신고에 대한 메모이다.\n")
    base.ingest()
    active = base.app.base.index.embeddings.active_model()
    assert active is not None
    base.app.base.index.embeddings.activate(
        active.identity, EmbeddingSettings(provider="bundled").model_dump_json()
    )
    base.close()
    return active.identity


@needs_int8
def test_auto_goes_on_in_the_precision_of_the_vectors_and_another_is_searched_once_it_is_complete(
    base: Base,
) -> None:
    stored = ingest_in(base, "fp32")
    base.config["models.embedding"] = {"provider": "bundled"}
    base.write("sea.md", "# 바다\n\n여름에 바다로 간다.\n")
    first = base.ingest().report
    assert first.embedding is not None
    assert (first.embedding.computed, first.embedding.identity) == (1, stored)
    assert search(base).hits[0].doc_path == "cats.md"
    base.close()
    base.config["models.embedding"] = {"provider": "bundled", "precision": "int8"}
    assert model_of(search(base)) == {stored.model_id}
    assert search(base).hits[0].doc_path == "cats.md"
    report = base.app.embed()
    assert report.embedding is not None
    assert (report.embedding.computed, report.embedding.pending) == (3, 0)
    active = base.app.base.index.embeddings.active_model()
    assert active is not None
    assert active.identity != stored
    assert search(base).hits[0].doc_path == "cats.md"
