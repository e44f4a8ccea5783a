"""The formats that are read: those of the one table that an extractor takes, and those of plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import EXTRACTORS_GROUP, FORMATS, FileFormat, Message, OtherMedia

if TYPE_CHECKING:
    from kebab_core import IngestSettings

_PLUGIN = Message("read by a plugin")


def list_formats(settings: IngestSettings) -> list[FileFormat]:
    """List the formats that are read, in the order of the table, then those of plugins by name."""
    from kebab_config import list_plugins

    from kebab_app.wiring import build_recipes

    recipes = build_recipes(settings)
    read = [one for one in FORMATS if recipes.find(one.media) is not None]
    known = {extension for one in read for extension in one.extensions} | {one.media.kind for one in read}
    plugged = sorted(
        (each.name, each.distribution) for each in list_plugins(EXTRACTORS_GROUP) if each.name not in known
    )
    read += [
        FileFormat(OtherMedia(label=name), _PLUGIN, (name,), "text_lines", needs=distribution)
        for name, distribution in plugged
    ]
    return read


def merge_formats(formats: list[FileFormat]) -> list[FileFormat]:
    """Merge formats that differ in their extensions alone, such as pictures, into one line each for people to read."""
    merged: dict[tuple[str, str, str, str], FileFormat] = {}
    for one in formats:
        key = (one.media.kind, one.title, one.cites, one.needs)
        before = merged.get(key)
        merged[key] = (
            one if before is None else before._replace(extensions=before.extensions + one.extensions)
        )
    return list(merged.values())
