import ast
import copy
import inspect
import pickle

import kebab_core
from hypothesis import given, strategies as st
from kebab_core import KebabError
from kebab_testing.tables import walk

CODES = {
    "config_invalid",
    "config_not_found",
    "invalid_input",
    "too_many_queries",
    "ambiguous_address",
    "stale_cursor",
    "unsupported_media",
    "span_not_supported",
    "readonly_mode",
    "not_indexed",
    "chunk_not_found",
    "doc_not_found",
    "document_encrypted",
    "document_damaged",
    "document_too_large",
    "model_unreachable",
    "model_not_pulled",
    "model_missing",
    "model_corrupt",
    "context_overflow",
    "timeout",
    "dependency_missing",
    "plugin_conflict",
    "io_error",
    "locked",
    "stale_revision",
    "index_model_mismatch",
    "schema_too_old",
    "schema_too_new",
    "database_corrupt",
    "retrieval_error",
    "internal",
}
GROUPS = {"KebabError", "InputError", "MissingError", "DocumentError", "ExternalError"}


def _classes(root: type[KebabError] = KebabError) -> list[type[KebabError]]:
    return [root, *(found for child in root.__subclasses__() for found in _classes(child))]


TREE = [kind for kind in _classes() if kind.__module__ == "kebab_core.errors"]
CODED = [kind for kind in TREE if kind.__name__ not in GROUPS]


def test_every_code_has_exactly_one_class() -> None:
    assert sorted(kind.code for kind in CODED) == sorted(CODES)


@walk("kind", CODED)
def test_every_class_says_its_own_code(kind: type[KebabError]) -> None:
    assert "code" in vars(kind)


def test_groups_have_no_code() -> None:
    assert {kind.__name__ for kind in TREE if not kind.code} == GROUPS


@walk("kind", TREE)
def test_every_class_is_public(kind: type[KebabError]) -> None:
    assert getattr(kebab_core, kind.__name__) is kind
    assert kind.__name__ in kebab_core.__all__


def test_the_tree_at_the_top_of_the_module_is_the_tree() -> None:
    source = inspect.getsource(inspect.getmodule(KebabError))  # type: ignore[arg-type]
    drawn = [line.split() for line in (ast.get_docstring(ast.parse(source)) or "").splitlines()]
    named = {
        words[0]: words[-1] for words in drawn if words and words[0].endswith("Error") and len(words) > 1
    }
    assert {kind.__name__: kind.code for kind in CODED}.items() <= named.items()


details = st.dictionaries(
    st.sampled_from(["path", "value", "error_id"]),
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.lists(st.text(max_size=3), max_size=2),
)


@given(st.sampled_from(CODED), st.text(), st.none() | st.text(), details)
def test_an_error_crosses_processes_whole(
    kind: type[KebabError], message: str, hint: str | None, facts: dict[str, str]
) -> None:
    error = kind(message, hint=hint, **facts)
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert (str(twin), twin.hint, twin.details, twin.code) == (message, hint, facts, kind.code)


def test_an_error_is_its_message() -> None:
    error = KebabError("no such thing: 'a'", hint="kebab list docs", path="a")
    assert str(error) == error.message == "no such thing: 'a'"
    assert (error.hint, error.details) == ("kebab list docs", {"path": "a"})
