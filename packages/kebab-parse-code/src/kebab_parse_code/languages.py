"""The languages by name. A new one is a module and a line here."""

from __future__ import annotations

from collections.abc import Mapping

from kebab_parse_code.c import C
from kebab_parse_code.cpp import CPP
from kebab_parse_code.go import GO
from kebab_parse_code.java import JAVA
from kebab_parse_code.javascript import JAVASCRIPT
from kebab_parse_code.kotlin import KOTLIN
from kebab_parse_code.python import PYTHON
from kebab_parse_code.rules import LanguageRules
from kebab_parse_code.rust import RUST
from kebab_parse_code.typescript import TYPESCRIPT

LANGUAGES: Mapping[str, LanguageRules] = {
    rules.name: rules for rules in (C, CPP, GO, JAVA, JAVASCRIPT, KOTLIN, PYTHON, RUST, TYPESCRIPT)
}
"""Name to rules."""
