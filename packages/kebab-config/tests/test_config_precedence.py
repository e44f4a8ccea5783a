"""Which of the four layers decides a key, and what is said about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from kebab_config import LoadedSettings, config_keys, load_settings
from kebab_core import ConfigInvalidError, ConfigNotFoundError, Message, Remedy, StorageError

ENV = {"KEBAB_SEARCH_DEFAULT_K": "30"}
FLAG: dict[str, object] = {"search.default_k": 40}
FILE = "[search]\ndefault_k = 20\n"


def load(
    home: Path,
    text: str | None = None,
    env: dict[str, str] | None = None,
    flags: dict[str, object] | None = None,
) -> LoadedSettings:
    if text is not None:
        file = home / ".config/kebab/config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return load_settings(
        config_path=None,
        environ={"HOME": str(home), **(env or {})},
        overrides=flags,
        current_dir=home / "here",
    )


Layers = tuple[str | None, dict[str, str], dict[str, object]]


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        ((None, {}, {}), (10, "default")),
        ((FILE, {}, {}), (20, "file")),
        ((None, ENV, {}), (30, "env KEBAB_SEARCH_DEFAULT_K")),
        ((FILE, ENV, {}), (30, "env KEBAB_SEARCH_DEFAULT_K")),
        ((None, {}, FLAG), (40, "flag")),
        ((FILE, {}, FLAG), (40, "flag")),
        ((None, ENV, FLAG), (40, "flag")),
        ((FILE, ENV, FLAG), (40, "flag")),
        ((FILE, ENV, {"search.default_k": None}), (30, "env KEBAB_SEARCH_DEFAULT_K")),
    ],
)
def test_later_layer_wins_and_is_named_as_origin(
    tmp_path: Path, layers: Layers, expected: tuple[int, str]
) -> None:
    loaded = load(tmp_path, *layers)
    assert (loaded.settings.search.default_k, str(loaded.origins["search.default_k"])) == expected


def test_every_key_has_an_origin_and_untouched_ones_are_defaults(tmp_path: Path) -> None:
    loaded = load(tmp_path, FILE)
    assert set(loaded.origins) == {key.key for key in config_keys()}
    touched = {key for key, origin in loaded.origins.items() if origin.kind != "default"}
    assert touched == {"search.default_k"}


def test_layers_join_key_by_key_not_section_by_section(tmp_path: Path) -> None:
    loaded = load(tmp_path, "[search]\nrrf_k = 7\n", ENV, {"search.snippet_chars": 99})
    search = loaded.settings.search
    assert (search.rrf_k, search.default_k, search.snippet_chars) == (7, 30, 99)


def test_variables_reach_nested_sections_and_every_kind_of_value(tmp_path: Path) -> None:
    loaded = load(
        tmp_path,
        env={
            "KEBAB_INGEST_CHUNKING_TARGET_TOKENS": " 128 ",
            "KEBAB_MODELS_EMBEDDING_PROVIDER": "ollama",
            "KEBAB_MODELS_EMBEDDING_ENDPOINT": "http://127.0.0.1:11434",
            "KEBAB_MODELS_LLM_ENDPOINT": "",
            "KEBAB_RAG_SCORE_GATE": "0.5",
            "KEBAB_WORKSPACE_FOLLOW_SYMLINKS": "Off",
            "KEBAB_WORKSPACE_EXCLUDE": "초안/**, *.tmp,",
        },
    ).settings
    assert loaded.ingest.chunking.target_tokens == 128
    assert (loaded.models.embedding.provider, loaded.models.embedding.endpoint) == (
        "ollama",
        "http://127.0.0.1:11434",
    )
    assert loaded.models.llm.endpoint is None
    assert loaded.rag.score_gate == 0.5
    assert loaded.workspace.follow_symlinks is False
    assert loaded.workspace.exclude == ("초안/**", "*.tmp")


def test_every_key_but_tables_and_the_schema_version_has_its_own_variable() -> None:
    names = [key.env_name for key in config_keys() if key.env_name is not None]
    assert len(names) == len(set(names)) == len(config_keys()) - 3


def test_absent_default_file_means_defaults_and_no_config_path(tmp_path: Path) -> None:
    loaded = load(tmp_path)
    assert loaded.config_path is None
    assert loaded.paths.config_file == tmp_path / ".config/kebab/config.toml"
    assert loaded.warnings == ()


def test_named_file_that_is_missing_raises_config_not_found_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(ConfigNotFoundError) as caught:
        load_settings(config_path=tmp_path / "no.toml", environ={"HOME": str(tmp_path)})
    assert caught.value.remedy


def test_named_file_is_found_relative_to_the_current_folder_and_below_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "kb.toml").write_text(FILE, encoding="utf-8")
    environ = {"HOME": str(tmp_path)}
    for named, here in (("kb.toml", tmp_path), ("../kb.toml", tmp_path / "x"), ("~/kb.toml", Path("/"))):
        loaded = load_settings(config_path=Path(named), environ=environ, current_dir=here)
        assert loaded.config_path == tmp_path / "kb.toml"


def test_named_file_hides_the_default_one(tmp_path: Path) -> None:
    load(tmp_path, "[search]\nrrf_k = 7\n")
    (tmp_path / "kb.toml").write_text(FILE, encoding="utf-8")
    loaded = load_settings(config_path=tmp_path / "kb.toml", environ={"HOME": str(tmp_path)})
    assert (loaded.settings.search.rrf_k, loaded.settings.search.default_k) == (60, 20)


def test_file_that_cannot_be_read_raises_storage_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError):
        load_settings(config_path=tmp_path / "file" / "config.toml", environ={"HOME": str(tmp_path)})


def test_folder_instead_of_a_file_is_invalid_wherever_it_is(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load_settings(config_path=tmp_path, environ={"HOME": str(tmp_path)})
    assert caught.value.remedy == Remedy(
        advice=Message("name the file in it, such as {path}", path=str(tmp_path / "config.toml"))
    )
    (tmp_path / ".config" / "kebab" / "config.toml").mkdir(parents=True)
    with pytest.raises(ConfigInvalidError):
        load_settings(config_path=None, environ={"HOME": str(tmp_path)})


def test_unknown_variable_is_a_warning_with_the_nearest_name(tmp_path: Path) -> None:
    warnings = load(tmp_path, env={"KEBAB_SEARCH_DEFAULTK": "3", "OTHER": "x"}).warnings
    assert len(warnings) == 1
    assert "KEBAB_SEARCH_DEFAULTK" in warnings[0]
    assert "KEBAB_SEARCH_DEFAULT_K" in warnings[0]


def test_switches_of_the_faces_are_no_unknown_variables(tmp_path: Path) -> None:
    assert load(tmp_path, env={"KEBAB_READONLY": "1", "KEBAB_PROGRESS": "plain"}).warnings == ()


def test_unknown_flag_key_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError) as caught:
        load(tmp_path, flags={"search.defaultk": 3})
    assert "`search.default_k`" in str(caught.value)


def test_flags_may_carry_tuples_and_paths(tmp_path: Path) -> None:
    loaded = load(tmp_path, flags={"workspace.root": tmp_path / "문서", "workspace.include": ("*.md",)})
    assert loaded.settings.workspace.include == ("*.md",)
    assert loaded.paths.sources[0].root == tmp_path / "문서"


def test_root_of_a_later_layer_stands_in_for_the_sources_of_the_file_and_says_so(tmp_path: Path) -> None:
    text = "[[workspace.sources]]\nid = 'b'\nroot = '/b'\n"
    for env, flags in (({"KEBAB_WORKSPACE_ROOT": "/a"}, {}), ({}, {"workspace.root": "/a"})):
        loaded = load(tmp_path, text, env, dict(flags))
        assert [(source.settings.id, source.root) for source in loaded.paths.sources] == [
            ("default", Path("/a"))
        ]
        assert "workspace.sources" in loaded.warnings[0]


def test_key_that_nothing_acts_on_is_a_warning_with_its_place_and_what_is_missing(tmp_path: Path) -> None:
    (warning,) = load(tmp_path, "[rag]\nscore_gate = 0.2\nmulti_hop_max_depth = 2\n").warnings
    assert warning.startswith("rag.multi_hop_max_depth (line 3 of ")
    assert warning.endswith("has no effect: the model `extractive` cannot split a question")
    (warning,) = load(tmp_path, "", {"KEBAB_RAG_MULTI_HOP_MAX_DEPTH": "2"}).warnings
    assert "rag.multi_hop_max_depth (from KEBAB_RAG_MULTI_HOP_MAX_DEPTH) has no effect" in warning


def test_key_that_nothing_acts_on_may_have_its_default(tmp_path: Path) -> None:
    assert load(tmp_path, "[rag]\nmulti_hop_max_depth = 3\n").warnings == ()


def test_keys_of_language_models_have_an_effect_where_a_plugin_writes_answers(tmp_path: Path) -> None:
    section = '[models.llm]\nmodel = "polly"\ntemperature = 0.5\n'
    extractive = load(tmp_path, section)
    plugin = load(tmp_path, f'{section}provider = "acme-parrot"\n')

    assert [warning.partition(" (line")[0] for warning in extractive.warnings] == [
        "models.llm.model",
        "models.llm.temperature",
    ]
    assert extractive.warnings[0].endswith("has no effect: the model `extractive` takes no settings")
    assert extractive.keys_without_effect - plugin.keys_without_effect == {
        key.key for key in config_keys() if key.key.startswith(("models.llm.", "rag.multi_hop_"))
    } - {"models.llm.provider"}
    assert plugin.warnings == ()


KEY_NAME = '[models.embedding]\napi_key_env = "MY_SERVER_KEY"\n'


def test_key_of_a_model_server_is_read_from_the_variable_that_the_file_names(tmp_path: Path) -> None:
    loaded = load(tmp_path, KEY_NAME, env={"MY_SERVER_KEY": "hush-hush"})
    assert loaded.embedding_api_key == "hush-hush"
    assert "hush-hush" not in repr(loaded)
    assert loaded.warnings == ()


def test_key_that_is_not_set_is_a_warning_with_the_name_of_the_variable(tmp_path: Path) -> None:
    loaded = load(tmp_path, KEY_NAME)
    assert loaded.embedding_api_key is None
    assert "MY_SERVER_KEY" in "".join(loaded.warnings)


def test_key_itself_in_place_of_the_name_of_a_variable_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigInvalidError):
        load(tmp_path, '[models.embedding]\napi_key_env = "sk-12 34"\n')
