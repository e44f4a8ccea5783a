"""The languages by name. A new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from kebab_parse_code.python import PYTHON
from kebab_parse_code.rules import LanguageRules

LANGUAGES: Mapping[str, LanguageRules] = {rules.name: rules for rules in (PYTHON,)}
"""Name to rules."""
