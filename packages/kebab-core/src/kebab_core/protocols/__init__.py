"""Protocols: the roles that packages play for each other, their factories, and the entry-point groups of plugins.

A docstring here is the rule that implementations are tested against; they repeat only what differs.
"""

from __future__ import annotations

EXTRACTORS_GROUP = "kebab.extractors"
CHUNKERS_GROUP = "kebab.chunkers"
EMBEDDERS_GROUP = "kebab.embedders"
LANGUAGE_MODELS_GROUP = "kebab.language_models"
SOURCES_GROUP = "kebab.sources"

PLUGIN_GROUPS = (EXTRACTORS_GROUP, CHUNKERS_GROUP, EMBEDDERS_GROUP, LANGUAGE_MODELS_GROUP, SOURCES_GROUP)
"""Entry-point groups. A name that is built in is never looked up here; two distributions that offer one name are an
error."""
