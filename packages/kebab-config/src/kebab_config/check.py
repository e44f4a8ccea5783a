"""Validation of values against the settings models, with errors that name the key and its bound."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from kebab_core import ConfigInvalidError, Model, Remedy, SourceSettings
from pydantic import ValidationError

from kebab_config.settings import Settings, unknown_key

_SHOWN_CHARS = 60
_FIXED = {
    "int_type": "must be a whole number",
    "int_parsing_size": "must be a smaller number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "dict_type": "must be a table",
    "mapping_type": "must be a table",
    "model_type": "must be a table",
    "missing": "is required",
}
_BOUNDS = {
    "greater_than_equal": ("must be at least", "ge"),
    "greater_than": ("must be more than", "gt"),
    "less_than_equal": ("must be at most", "le"),
    "less_than": ("must be less than", "lt"),
}


SectionT = TypeVar("SectionT", bound=Model)


def check_section(
    model: type[SectionT],
    tree: Mapping[str, Any],
    *,
    section: str = "",
    describe: Callable[[str], str],
    advise: Callable[[str], Remedy | None],
) -> SectionT:
    """Build a section of the settings, or all of them, from a tree of TOML values.

    Strict: a number in quotation marks is not a number.

    Args:
        model: The section.
        tree: Tables of values by name.
        section: Dotted name of the section; empty for all settings.
        describe: Returns the origin of a dotted key, such as `line 7 of '…'`; empty where it has none.
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
        sentences = [problem.sentence(describe) for problem in problems]
        raise ConfigInvalidError(
            "; ".join(sentences),
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

    def sentence(self, describe: Callable[[str], str]) -> str:
        where = describe(self.key.partition("[")[0])
        shown = self._shown_value()
        remarks = ", ".join(part for part in (shown, where) if part)
        return f"{self.key}: {self._complaint()}" + (f" ({remarks})" if remarks else "")

    def _complaint(self) -> str:
        kind, context = str(self.detail["type"]), self.detail.get("ctx", {})
        if kind in _BOUNDS:
            words, name = _BOUNDS[kind]
            return f"{words} {context[name]:.12g}"
        if kind == "extra_forbidden":
            return self._unknown()
        if kind in {"literal_error", "enum"}:
            return f"must be {context['expected']}"
        if kind == "value_error":
            return str(context["error"])
        if kind == "string_pattern_mismatch":
            return "may hold letters, digits, `.`, `_` and `-` only"
        message = str(self.detail["msg"])
        return _FIXED.get(kind, message[:1].lower() + message[1:])

    def _unknown(self) -> str:
        if self.model is not Settings:
            fields = self.model.model_fields
        elif "[" in self.key:
            fields = SourceSettings.model_fields
        else:
            return unknown_key(self.key)
        nearest = get_close_matches(self.key.rpartition(".")[2], fields, n=1)
        return f"unknown key, did you mean `{nearest[0]}`?" if nearest else "unknown key"

    def _shown_value(self) -> str:
        value = self.detail["input"]
        if self.detail["type"] == "missing" or isinstance(value, dict | list):
            return ""
        text = json.dumps(value, ensure_ascii=False, default=str)
        return f"got {text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + '…'}"
