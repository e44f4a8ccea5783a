import pickle
from datetime import UTC, datetime, timedelta, timezone

import kebab_core
import pytest
from kebab_core import (
    BlockId,
    ChunkPolicy,
    CodeBlock,
    DocumentId,
    LineSpan,
    Metadata,
    Model,
    ParagraphBlock,
    SearchFilters,
    SearchQuery,
    SourceType,
    TextInline,
)
from kebab_testing.tables import walk
from pydantic import TypeAdapter, ValidationError

MODELS = [
    value
    for value in (getattr(kebab_core, name) for name in kebab_core.__all__)
    if isinstance(value, type) and issubclass(value, Model)
]
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@walk("model", MODELS)
def test_every_model_is_frozen_and_closed(model: type[Model]) -> None:
    assert model.model_config["frozen"]
    assert model.model_config["extra"] == "forbid"


@walk("model", MODELS)
def test_every_model_can_be_built_and_described(model: type[Model]) -> None:
    model.model_rebuild()
    assert {"type", "$ref"} & set(model.model_json_schema())


@walk("model", MODELS)
def test_no_field_takes_a_mutable_list(model: type[Model]) -> None:
    assert not [name for name, field in model.model_fields.items() if "list[" in str(field.annotation)]


def test_a_field_cannot_be_changed() -> None:
    query = SearchQuery(text="a")
    with pytest.raises(ValidationError):
        query.k = 3  # type: ignore[misc]


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError, match="kk"):
        SearchQuery.model_validate({"text": "a", "kk": 3})


def test_equal_values_are_equal_and_hash_alike() -> None:
    first, second = (
        ChunkPolicy(target_tokens=20, max_tokens=30, overlap_tokens=1, token_counter="x") for _ in "ab"
    )
    assert first == second
    assert hash(first) == hash(second)


def test_a_naive_time_is_refused() -> None:
    with pytest.raises(ValidationError):
        SearchFilters.model_validate({"ingested_after": datetime(2026, 3, 1, 12)})  # noqa: DTZ001  # the point
    with pytest.raises(ValidationError):
        SearchFilters.model_validate_json('{"ingested_after": "2026-03-01T12:00:00"}')


def test_a_time_of_any_zone_is_kept_in_utc() -> None:
    seoul = NOON.astimezone(timezone(timedelta(hours=9)))
    kept = SearchFilters(ingested_after=seoul).ingested_after
    assert kept == NOON
    assert kept is not None
    assert kept.tzinfo is UTC


def test_a_union_is_told_apart_by_kind() -> None:
    block = {
        "kind": "code",
        "block_id": "0" * 32,
        "heading_path": [],
        "source_span": {"kind": "line", "start": 1, "end": 1},
        "lang": None,
        "code": "x = 1",
    }
    assert isinstance(TypeAdapter(kebab_core.Block).validate_python(block), CodeBlock)
    with pytest.raises(ValidationError):
        TypeAdapter(kebab_core.Block).validate_python({**block, "kind": "video"})


def test_a_model_crosses_processes_whole() -> None:
    block = ParagraphBlock(
        block_id=BlockId("0" * 32),
        heading_path=("가",),
        source_span=LineSpan(start=1, end=2),
        text="글",
        inlines=(TextInline(text="글"),),
    )
    twin = pickle.loads(pickle.dumps(block))
    assert twin == block
    assert type(twin.block_id) is BlockId


def test_an_id_inside_a_model_is_folded() -> None:
    assert SearchFilters(doc_id=(DocumentId("A" * 32),)).doc_id == ("a" * 32,)


def test_metadata_keeps_unknown_keys_as_they_were() -> None:
    user = {"점수": [1, 2.5, None, {"a": True}]}
    metadata = Metadata(created_at=NOON, updated_at=NOON, source_type=SourceType.NOTE, user=user)
    assert Metadata.model_validate_json(metadata.model_dump_json()).user == user


@walk("field", ["target_tokens", "max_tokens", "overlap_tokens", "token_counter"])
def test_every_part_of_a_policy_counts_in_its_hash(field: str) -> None:
    policy = ChunkPolicy(target_tokens=20, max_tokens=30, overlap_tokens=1, token_counter="x")
    changed = policy.model_copy(update={field: "y" if field == "token_counter" else 40})
    assert changed.hash() != policy.hash()
    assert len(policy.hash()) == 16
