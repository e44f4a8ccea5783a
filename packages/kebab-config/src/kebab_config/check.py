"""Validation of values against the settings models, with errors that name the key and its bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from kebab_core import ConfigInvalidError, Message, Model, Remedy, SourceSettings, join_messages
from pydantic import ValidationError

from kebab_config.settings import Settings, config_keys, unknown_key

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
            return Message("{must_be} {bound:.12g}", must_be=words, bound=context[name])
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
