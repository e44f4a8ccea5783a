"""Recipes by medium: built in, else of extractor plugins. Each is built when a file of its medium is met."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, cast

from kebab_core import CHUNKERS_GROUP, EXTRACTORS_GROUP, Chunker, Extractor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kebab_config import Plugin
    from kebab_core import ChunkPolicy, ExtractorServices, IngestSettings, MediaType, Model
    from kebab_ingest import Recipe

PLUGIN_CHUNKER = "md-heading-v4"
"""Chunker of documents of an extractor plugin, unless a chunker plugin has the name of the extractor."""


class Recipes:
    """The recipes of a knowledge base.

    Args:
        built_in: Kind of a medium, of `other` media the label, and what builds a recipe for it. Of those that read a
            medium, the first is taken.
        settings: Sections of the extractors.
        services: Services of the extractors.
        policy: Sizes of the chunks of plugins.
    """

    def __init__(
        self,
        built_in: Iterable[tuple[str, Callable[[], Recipe]]],
        settings: IngestSettings,
        services: ExtractorServices,
        policy: ChunkPolicy,
    ) -> None:
        self._built_in = [(media, cache(build)) for media, build in built_in]
        self._settings = settings
        self._services = services
        self._policy = policy
        self._plugged: dict[str, Recipe | None] = {}

    @cached_property
    def _plugins(self) -> tuple[Plugin, ...]:
        from kebab_config import list_plugins

        return list_plugins(EXTRACTORS_GROUP)

    def find(self, media_type: MediaType) -> Recipe | None:
        """Find the recipe of a medium; None if nothing reads it.

        Raises:
            PluginConflictError: Several distributions offer the medium, or the plugin cannot be used.
            ConfigInvalidError: Its section of the settings is not what the plugin takes.
        """
        name = media_type.label if media_type.kind == "other" else media_type.kind
        built = (build() for media, build in self._built_in if media == name)
        found = next((recipe for recipe in built if recipe.extractor.supports(media_type)), None)
        return found or self._find_plugged(name, media_type)

    def _find_plugged(self, name: str, media_type: MediaType) -> Recipe | None:
        from kebab_config import find_plugin

        if name not in self._plugged:
            plugin = find_plugin(self._plugins, name)
            self._plugged[name] = self._build_plugged(plugin) if plugin else None
        recipe = self._plugged[name]
        return recipe if recipe is not None and recipe.extractor.supports(media_type) else None

    def _build_plugged(self, plugin: Plugin) -> Recipe:
        from kebab_chunk import build_chunker
        from kebab_config import find_plugin, list_plugins
        from kebab_ingest import Recipe

        extractor, settings = build_extractor(plugin, self._settings, self._services)
        own_chunker = find_plugin(list_plugins(CHUNKERS_GROUP), plugin.name)
        counter = self._services.counter
        chunker = (
            build_chunker(PLUGIN_CHUNKER, counter)
            if own_chunker is None
            else cast("Chunker", own_chunker.build(counter, protocol=Chunker))
        )
        return Recipe(
            extractor=extractor,
            chunker=chunker,
            policy=self._policy,
            settings=settings,
            isolated=getattr(extractor, "isolated", True),  # nothing is known of its parser
        )


def build_extractor(
    plugin: Plugin, settings: IngestSettings, services: ExtractorServices
) -> tuple[Extractor, Model | None]:
    """Build the extractor of a plugin, with its section of the settings; None for one without settings.

    Raises:
        PluginConflictError: The plugin cannot be used.
        ConfigInvalidError: The section is not what the plugin takes.
    """
    table = settings.extractors.get(plugin.name, {})
    section = plugin.read_settings(table, section=f"ingest.extractors.{plugin.name}")
    return cast("Extractor", plugin.build(section, services, protocol=Extractor)), section
