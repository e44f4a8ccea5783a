"""The settings, composed of the sections that `kebab_core` defines, and every key of them as data.

Values are checked against these models, with errors that name the key and its bound.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from kebab_core import (
    CHAT_PROVIDERS,
    CHAT_SERVERS,
    ClusterSettings,
    ConfigInvalidError,
    IngestSettings,
    LoggingSettings,
    McpSettings,
    Message,
    Model,
    ModelsSettings,
    RagSettings,
    Remedy,
    SearchSettings,
    SourceSettings,
    StorageSettings,
    WorkspaceSettings,
    join_messages,
    read_field_docs,
)
from pydantic import Field, JsonValue, SecretStr, ValidationError
from pydantic.fields import FieldInfo

SCHEMA_VERSION: Literal[1] = 1
"""Shape of the configuration file that this version of kebab reads and writes."""

_SHOWN_CHARS = 60
_FIXED = {
    "int_type": Message("must be a whole number"),
    "int_parsing_size": Message("must be a smaller number"),
    "float_type": Message("must be a number"),
    "bool_type": Message("must be true or false"),
    "string_type": Message("must be text"),
    "tuple_type": Message("must be a list"),
    "dict_type": Message("must be a table"),
    "mapping_type": Message("must be a table"),
    "model_type": Message("must be a table"),
    "missing": Message("is required"),
}
_BOUNDS = {
    "greater_than_equal": (Message("must be at least"), "ge"),
    "greater_than": (Message("must be more than"), "gt"),
    "less_than_equal": (Message("must be at most"), "le"),
    "less_than": (Message("must be less than"), "lt"),
}


SectionT = TypeVar("SectionT", bound=Model)


class Settings(Model):
    """All settings; each part of kebab receives its own section only."""

    schema_version: Literal[1] = SCHEMA_VERSION
    """Shape of this file; `kebab config migrate` raises it."""
    workspace: WorkspaceSettings = Field(default_factory=WorkspaceSettings)
    storage: StorageSettings = Field(default_factory=StorageSettings)
    ingest: IngestSettings = Field(default_factory=IngestSettings)
    models: ModelsSettings = Field(default_factory=ModelsSettings)
    search: SearchSettings = Field(default_factory=SearchSettings)
    rag: RagSettings = Field(default_factory=RagSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    cluster: ClusterSettings = Field(default_factory=ClusterSettings)
    logging: LoggingSettings = Field(default_factory=LoggingSettings)


EXTRACTIVE_PROVIDER = "extractive"
"""The value of `models.llm.provider` that reads no other key of its section."""
_SERVERS = frozenset(CHAT_SERVERS)
_PROVIDERS_OF: Mapping[str, frozenset[str]] = {
    "models.llm.endpoint": _SERVERS,
    "models.llm.api_key_env": _SERVERS,
    "models.llm.connect_timeout_s": _SERVERS,
    "models.llm.keep_alive": frozenset({"ollama"}),
    "models.llm.threads": frozenset({"llama-cpp"}),
}
"""Built-in providers that read a key, of the keys of chat models that not all of them read."""
_BUILT_IN_PROVIDERS = frozenset(CHAT_PROVIDERS)
_HOP_KEYS = frozenset({"rag.multi_hop_max_depth", "rag.multi_hop_max_sub_queries"})


def find_missing_effect(key: str, *, llm_provider: str) -> Message | None:
    """Find the reason why a key has no effect, None for a key that has one.

    Args:
        key: Dotted.
        llm_provider: The value of `models.llm.provider`.
    """
    if key in _HOP_KEYS and llm_provider == EXTRACTIVE_PROVIDER:
        return Message("the model `{model}` cannot split a question", model=EXTRACTIVE_PROVIDER)
    if is_for_chat_models(key) and llm_provider == EXTRACTIVE_PROVIDER:
        return Message("the model `{model}` takes no settings", model=EXTRACTIVE_PROVIDER)
    if llm_provider in _BUILT_IN_PROVIDERS - _PROVIDERS_OF.get(key, _BUILT_IN_PROVIDERS):
        return Message("the provider `{provider}` does not read it", provider=llm_provider)
    return None


def is_for_chat_models(key: str) -> bool:
    """True for a key that has no effect where answers are quotes."""
    return key in _HOP_KEYS or (key.startswith("models.llm.") and key != "models.llm.provider")


KeyKind = Literal[
    "text", "whole number", "number", "true or false", "list of text", "list of tables", "tables by name"
]
_KIND_OF: dict[object, KeyKind] = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
}


@dataclass(frozen=True, slots=True)
class ConfigKey:
    """One key: a leaf of the tree of sections."""

    key: str
    """Dotted, as error messages, flags and `config show` name it."""
    kind: KeyKind
    default: JsonValue
    section: type[Model]
    """The model that has it as a field."""
    choices: tuple[str, ...] = ()
    """Allowed values; empty where any value of the kind is allowed."""
    minimum: float | None = None
    maximum: float | None = None
    """Inclusive."""
    minimum_is_exclusive: bool = False
    is_optional: bool = False
    """True if the key may be unset; an empty text unsets it."""
    is_secret: bool = False
    """True if its values are shown nowhere."""

    @property
    def description(self) -> str:
        """Description of the key, read from the source of the model on request."""
        return read_field_docs(self.section).get(self.key.rpartition(".")[2], "")

    @property
    def effect_note(self) -> str:
        """Note on a key without effect by default; empty for all others."""
        return f"no effect with `{EXTRACTIVE_PROVIDER}`" if is_for_chat_models(self.key) else ""

    @property
    def env_name(self) -> str | None:
        """The variable that overrides the key; None where only the file can set it."""
        if self.kind in {"list of tables", "tables by name"} or self.key == "schema_version":
            return None
        return "KEBAB_" + self.key.replace(".", "_").upper()

    @property
    def bounds(self) -> str:
        """The range in words, empty where there is none."""
        low = high = ""
        if self.minimum is not None:
            low = f"{'more than' if self.minimum_is_exclusive else 'at least'} {self.minimum:.12g}"
        if self.maximum is not None:
            high = f"at most {self.maximum:.12g}"
        return ", ".join(part for part in (low, high) if part)


@cache
def config_keys() -> tuple[ConfigKey, ...]:
    """All keys, sections in the order of the file."""
    return tuple(_keys_of(Settings, prefix=""))


@cache
def section_docs() -> dict[str, str]:
    """The first line of the description of each section by its dotted name, in the order of the file."""
    return dict(_sections_of(Settings, prefix=""))


def section_model(field: FieldInfo) -> type[Model] | None:
    """The model of a field that is a section, None for a leaf."""
    annotation = field.annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, Model) else None


def _sections_of(model: type[Model], *, prefix: str) -> Iterator[tuple[str, str]]:
    for name, field in model.model_fields.items():
        if (section := section_model(field)) is not None:
            yield prefix + name, (section.__doc__ or "").partition("\n")[0]
            yield from _sections_of(section, prefix=f"{prefix}{name}.")


def _keys_of(model: type[Model], *, prefix: str) -> Iterator[ConfigKey]:
    for name, field in model.model_fields.items():
        if (section := section_model(field)) is not None:
            yield from _keys_of(section, prefix=f"{prefix}{name}.")
        else:
            yield describe_field(prefix + name, field, section=model)


def describe_field(key: str, field: FieldInfo, *, section: type[Model]) -> ConfigKey:
    """The key that a field of a model describes: kind, default, choices, bounds."""
    inner, is_optional = _without_none(field.annotation)
    choices = _choices(inner)
    at_least, more_than = _rule(field, "ge"), _rule(field, "gt")
    return ConfigKey(
        key=key,
        kind=_kind(inner),
        default=_default(field),
        section=section,
        choices=choices,
        minimum=at_least if more_than is None else more_than,
        maximum=_rule(field, "le"),
        minimum_is_exclusive=more_than is not None,
        is_optional=is_optional,
        is_secret=SecretStr in {inner, *get_args(inner)},
    )


def _default(field: FieldInfo) -> JsonValue:
    if field.is_required():
        return None
    value = field.get_default(call_default_factory=True)
    return (
        list(value) if isinstance(value, tuple) else cast("JsonValue", value)
    )  # leaves are what TOML can say


def _rule(field: FieldInfo, name: str) -> float | None:
    values = (getattr(rule, name, None) for rule in field.metadata)
    return next((float(value) for value in values if isinstance(value, int | float)), None)


def _without_none(annotation: object) -> tuple[object, bool]:
    if get_origin(annotation) not in {Union, UnionType}:
        return annotation, False
    members = [member for member in get_args(annotation) if member is not NoneType]
    return members[0], True


def _choices(annotation: object) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(str(choice) for choice in get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, StrEnum):
        return tuple(annotation)
    return ()


def _kind(annotation: object) -> KeyKind:
    if get_origin(annotation) is Mapping:
        return "tables by name"
    if get_origin(annotation) is tuple:
        return "list of text" if get_args(annotation)[0] in {str, SecretStr} else "list of tables"
    if get_origin(annotation) is Literal:
        return _KIND_OF[type(get_args(annotation)[0])]
    return _KIND_OF.get(annotation, "text")


def unknown_key(key: str) -> Message:
    """The message for a key that does not exist, with the nearest existing one."""
    known = [entry.key for entry in config_keys()]
    if inside := [name for name in known if name.startswith(f"{key}.")]:
        return Message("it is a section, and one key of it can be set: {keys}", keys=", ".join(inside))
    sections = {name.rpartition(".")[0] for name in known} - {"", key.rpartition(".")[0]}
    same_name = [name for name in known if name.rpartition(".")[2] == key.rpartition(".")[2]]
    nearest = same_name or get_close_matches(key, [*known, *sorted(sections)], n=1)
    if not nearest:
        return Message("unknown key")
    return Message("unknown key, did you mean `{key}`?", key=nearest[0])


def check_section(
    model: type[SectionT],
    tree: Mapping[str, Any],
    *,
    section: str = "",
    describe: Callable[[str], Message | None],
    advise: Callable[[str], Remedy | None],
) -> SectionT:
    """Build a section of the settings, or all of them, from a tree of TOML values.

    Strict: a number in quotation marks is not a number.

    Args:
        model: The section.
        tree: Tables of values by name.
        section: Dotted name of the section; empty for all settings.
        describe: Returns the origin of a dotted key, such as `line 7 of '…'`; None where it has none.
        advise: Returns the remedy for a dotted key that is wrong.

    Returns:
        The section, defaults filled in.

    Raises:
        ConfigInvalidError: With a sentence for every key that is wrong; `details["key"]` is the first.
    """
    try:
        return model.model_validate_json(json.dumps(tree, default=_not_json), strict=True)
    except ValidationError as error:
        problems = [_Problem(detail, model, section) for detail in error.errors(include_url=False)]
        sentences: list[str] = [problem.sentence(describe) for problem in problems]
        raise ConfigInvalidError(
            join_messages("; ", sentences),
            remedy=advise(problems[0].key.partition("[")[0]),
            key=problems[0].key,
            problems=sentences,
        ) from error


def _not_json(value: object) -> object:
    return {"not JSON": str(value)}  # dates of TOML: a table, since no key takes one


class _Problem:
    """One validation error of a settings model."""

    def __init__(self, detail: Mapping[str, Any], model: type[Model], section: str) -> None:
        self.detail, self.model = detail, model
        parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in detail["loc"]]
        self.inner_key = "".join(parts).removeprefix(".")
        self.key = "".join([section, *parts]).removeprefix(".")

    def sentence(self, describe: Callable[[str], Message | None]) -> Message:
        where = describe(self.key.partition("[")[0])
        remarks = [part for part in (self._shown_value(), where) if part is not None]
        sentence = Message("{key}: {problem}", key=self.key, problem=self._complaint())
        if not remarks:
            return sentence
        return Message("{sentence} ({remarks})", sentence=sentence, remarks=join_messages(", ", remarks))

    def _complaint(self) -> Message:
        kind, context = str(self.detail["type"]), self.detail.get("ctx", {})
        if kind in _BOUNDS:
            words, name = _BOUNDS[kind]
            return self._range() or Message("{must_be} {bound:.12g}", must_be=words, bound=context[name])
        if kind == "extra_forbidden":
            return self._unknown()
        if kind in {"literal_error", "enum"}:
            return Message("must be {expected}", expected=context["expected"])
        if kind == "value_error":
            return Message("{problem}", problem=context["error"].args[0])
        if kind == "string_pattern_mismatch":
            return Message("may hold letters, digits, `.`, `_` and `-` only")
        message = str(self.detail["msg"])
        return _FIXED.get(kind) or Message("{problem}", problem=message[:1].lower() + message[1:])

    def _range(self) -> Message | None:
        # both bounds, where the field has two
        key = next((key for key in _keys_of(self.model, prefix="") if key.key == self.inner_key), None)
        if key is None or key.minimum is None or key.maximum is None:
            return None
        if key.minimum_is_exclusive:
            return Message(
                "must be more than {low:.12g} and at most {high:.12g}", low=key.minimum, high=key.maximum
            )
        return Message("must be from {low:.12g} to {high:.12g}", low=key.minimum, high=key.maximum)

    def _unknown(self) -> Message:
        if self.model is not Settings:
            fields = self.model.model_fields
        elif "[" in self.key:
            fields = SourceSettings.model_fields
        else:
            return unknown_key(self.key)
        nearest = get_close_matches(self.key.rpartition(".")[2], fields, n=1)
        if not nearest:
            return Message("unknown key")
        return Message("unknown key, did you mean `{key}`?", key=nearest[0])

    def _is_secret(self) -> bool:
        name = self.key.partition("[")[0]
        return any(key.is_secret for key in config_keys() if key.key == name)

    def _shown_value(self) -> Message | None:
        value = self.detail["input"]
        if self.detail["type"] == "missing" or isinstance(value, dict | list) or self._is_secret():
            return None
        text = json.dumps(value, ensure_ascii=False, default=str)
        return Message("got {value}", value=text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + "…")
