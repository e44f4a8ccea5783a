"""What is refused, and whether the message helps."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from kebab_config import ConfigKey, config_keys, load_settings
from kebab_core import ConfigInvalidError, Message, Remedy
from kebab_testing.tables import walk

NUMERIC = [
    key for key in config_keys() if key.kind in {"whole number", "number"} and key.key != "schema_version"
]
ENVIRON = {"HOME": "/nowhere"}


def refuse(tmp_path: Path, text: str) -> ConfigInvalidError:
    file = tmp_path / "config.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings(config_path=file, environ=ENVIRON)
    return caught.value


def refuse_flag(key: str, value: object) -> ConfigInvalidError:
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings(config_path=None, environ=ENVIRON, overrides={key: value})
    return caught.value


def problem_with_flag(key: str, value: object) -> object:
    """Return the key that a value is refused for, None where it is accepted."""
    try:
        load_settings(config_path=None, environ=ENVIRON, overrides={key: value})
    except ConfigInvalidError as error:
        return error.details["key"]
    return None


def by_key(key: ConfigKey) -> str:
    return key.key


def step(key: ConfigKey) -> float:
    return 1 if key.kind == "whole number" else 0.001


def as_kind(key: ConfigKey, value: float) -> int | float:
    return int(value) if key.kind == "whole number" else value


@walk("key", NUMERIC)
def test_numeric_key_has_both_bounds_and_refuses_beyond_them(key: ConfigKey) -> None:
    assert key.minimum is not None
    assert key.maximum is not None
    low = key.minimum if key.minimum_is_exclusive else key.minimum - step(key)
    range_of = (
        f"more than {low:.12g} and at most" if key.minimum_is_exclusive else f"from {key.minimum:.12g} to"
    )
    for value in (low, key.maximum + step(key)):
        said = str(refuse_flag(key.key, as_kind(key, value)))
        assert said.startswith(f"{key.key}: must be {range_of} {key.maximum:.12g} (")


@walk("key", NUMERIC)
def test_numeric_key_accepts_its_own_bounds(key: ConfigKey) -> None:
    assert key.minimum is not None
    assert key.maximum is not None
    lowest = key.minimum + (step(key) if key.minimum_is_exclusive else 0)
    section = key.key.rpartition(".")[0]
    for value in (lowest, key.maximum):
        assert problem_with_flag(key.key, as_kind(key, value)) in {None, section}, (
            "only a neighbour may object"
        )


@walk("key", NUMERIC)
@walk("value", ["abc", "", "nan", "inf", "-inf", "1e400", [], {"a": 1}])
def test_numeric_key_refuses_what_is_no_number(key: ConfigKey, value: object) -> None:
    assert refuse_flag(key.key, value).details["key"] == key.key


def test_every_key_has_a_description() -> None:
    assert [key.key for key in config_keys() if not key.description] == []


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("[search]\ndefault_k = 0\n", "search.default_k: must be from 1 to 1000 (got 0, line 2"),
        ("[search]\ndefault_k = '10'\n", "search.default_k: must be a whole number"),
        ("[search]\ndefault_k = true\n", "search.default_k: must be a whole number"),
        ("[search]\ndefault_k = 2026-01-01\n", "search.default_k: must be a whole number"),
        ("[workspace]\nroot = 2026-01-01\n", "workspace.root: must be text"),
        ("[workspace]\nfollow_symlinks = 1\n", "workspace.follow_symlinks: must be true or false"),
        ("[workspace]\nexclude = '*.tmp'\n", "workspace.exclude: must be a list"),
        ("[workspace]\nexclude = [1]\n", "workspace.exclude[0]: must be text"),
        (
            "[rag]\nprompt_template_version = 'rag-v5'\n",
            "rag.prompt_template_version: must be 'rag-v1', 'rag-v2', 'rag-v3', 'rag-v4' or 'rag-v4-json'",
        ),
        ("search = 3\n", "search: must be a table"),
        ("[models]\nllm = 3\n", "models.llm: must be a table"),
        ("[ingest.chunking]\noverlap_tokens = 400\n", "ingest.chunking: overlap_tokens must be smaller"),
        ("[[workspace.sources]]\nid = 'a b'\nroot = 'x'\n", "workspace.sources[0].id: may hold letters"),
        ("[[workspace.sources]]\nid = 'a'\n", "workspace.sources[0].root: is required"),
    ],
)
def test_bad_value_names_its_dotted_key_and_what_it_must_be(tmp_path: Path, text: str, start: str) -> None:
    error = refuse(tmp_path, text)
    assert str(error).startswith(start)
    assert error.remedy


@pytest.mark.parametrize("value", ["'hunter2'", "['a', 55512]", "{ a = 'hunter2' }"])
def test_bad_value_of_a_secret_is_not_shown(tmp_path: Path, value: str) -> None:
    error = refuse(tmp_path, f"[ingest.pdf]\npasswords = {value}\n")
    assert str(error).startswith("ingest.pdf.passwords")
    assert "hunter2" not in f"{error} {error.details}"
    assert "55512" not in f"{error} {error.details}"


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[search]\ndefaultk = 3\n", "search.default_k"),
        ("[serach]\ndefault_k = 3\n", "search"),
        ("default_k = 3\n", "search.default_k"),
        ("[chunking]\ntarget_tokens = 3\n", "ingest.chunking"),
        ("[ingest]\ntarget_tokens = 500\n", "ingest.chunking.target_tokens"),
        ("[[workspace.sources]]\nid = 'a'\nroot = 'x'\nexcludes = []\n", "exclude"),
    ],
)
def test_unknown_key_names_the_nearest_known_one(tmp_path: Path, text: str, nearest: str) -> None:
    assert f"unknown key, did you mean `{nearest}`?" in str(refuse(tmp_path, text))


def test_section_that_a_wrong_key_stands_in_is_not_what_was_meant(tmp_path: Path) -> None:
    assert "did you mean `storage`" not in str(refuse(tmp_path, "[storage]\ncolour = 1\n"))


def test_unknown_key_says_on_which_line_it_stands(tmp_path: Path) -> None:
    assert "line 4" in str(refuse(tmp_path, "# 설정\n[search] # 검색\nrrf_k = 3\ndefaultk = 3\n"))


def test_all_wrong_keys_are_reported_at_once(tmp_path: Path) -> None:
    error = refuse(tmp_path, "[search]\ndefault_k = 0\nrrf_k = 0\n")
    problems = error.details["problems"]
    assert isinstance(problems, list)
    assert [problem.partition(":")[0] for problem in problems] == ["search.default_k", "search.rrf_k"]


def test_bad_value_of_a_variable_names_the_variable() -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings(config_path=None, environ={**ENVIRON, "KEBAB_SEARCH_DEFAULT_K": "many"})
    assert "KEBAB_SEARCH_DEFAULT_K" in str(caught.value)
    assert caught.value.remedy == Remedy(
        kind="unset",
        name="KEBAB_SEARCH_DEFAULT_K",
        otherwise=Remedy(kind="set", setting="KEBAB_SEARCH_DEFAULT_K", value=10),
    )


def test_values_that_contradict_each_other_name_the_layer_that_came_last() -> None:
    environ = {**ENVIRON, "KEBAB_INGEST_CHUNKING_OVERLAP_TOKENS": "400"}
    with pytest.raises(ConfigInvalidError, match="KEBAB_INGEST_CHUNKING_OVERLAP_TOKENS") as caught:
        load_settings(config_path=None, environ=environ)
    assert caught.value.remedy is not None
    assert caught.value.remedy.name == "KEBAB_INGEST_CHUNKING_OVERLAP_TOKENS"


def test_bad_value_of_a_file_says_which_file_to_edit(tmp_path: Path) -> None:
    assert refuse(tmp_path, "[search]\nrrf_k = 0\n").remedy == Remedy(
        advice=Message("edit {path}", path=str(tmp_path / "config.toml"))
    )


def test_syntax_error_names_the_line(tmp_path: Path) -> None:
    error = refuse(tmp_path, "[search]\ndefault_k = = 3\n")
    assert error.details["line"] == 2


@given(content=st.binary(max_size=40))
def test_any_bytes_load_or_are_config_invalid(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("any") / "config.toml"
    file.write_bytes(content)
    try:
        loaded = load_settings(config_path=file, environ=ENVIRON)
    except ConfigInvalidError:
        return
    assert loaded.config_path == file


@pytest.mark.parametrize("version", ["2", "0", "-1", "true", "'1'", "1.0"])
def test_schema_version_other_than_the_present_one_is_refused(tmp_path: Path, version: str) -> None:
    assert str(refuse(tmp_path, f"schema_version = {version}\n")).startswith("schema_version: ")


def test_newer_schema_version_says_that_kebab_is_too_old(tmp_path: Path) -> None:
    assert refuse(tmp_path, "schema_version = 99\n").remedy == Remedy(advice=Message("use a newer kebab"))


def test_root_and_sources_in_one_file_are_refused(tmp_path: Path) -> None:
    error = refuse(tmp_path, "[workspace]\nroot = '~/a'\n[[workspace.sources]]\nid = 'b'\nroot = '~/b'\n")
    assert error.details["key"] == "workspace.root"


def test_two_sources_of_one_id_are_refused(tmp_path: Path) -> None:
    source = "[[workspace.sources]]\nid = 'a'\nroot = '/x'\n"
    assert str(refuse(tmp_path, source + source)).startswith("workspace: ")
