"""Obsidian's `[[note#heading|alias]]` and `![[embed]]` as an inline rule of markdown-it.

Source: Obsidian help, "Internal links" and "Embed files".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

WIKILINK = "wikilink"
WIKI_IMAGE = "wiki_image"
_MAX_TARGET_CHARS = 500
_IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".avif", ".tif", ".tiff")


def wikilink_rule(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's signature
    """Push a `wikilink` or `wiki_image` token whose content is what is shown and whose meta is the target.

    Returns:
        Whether there was one at the present position.
    """
    source, position = state.src, state.pos
    is_embed = source.startswith("![[", position)
    if not is_embed and not source.startswith("[[", position):
        return False
    start = position + (3 if is_embed else 2)
    end = source.find("]]", start, start + _MAX_TARGET_CHARS)
    if end < 0 or source[end + 2 : end + 3] in {"(", "["} or not _is_target(source[start:end]):
        return False
    if not silent:
        _push(state, source[start:end], is_embed=is_embed)
    state.pos = end + 2
    return True


def _is_target(inner: str) -> bool:
    return bool(inner.strip()) and not any(char in inner for char in "\n[]")


def _push(state: StateInline, inner: str, *, is_embed: bool) -> None:
    target, _, alias = inner.partition("|")
    target, alias = target.strip(), alias.strip()
    is_image = is_embed and target.lower().endswith(_IMAGE_SUFFIXES)
    token = state.push(WIKI_IMAGE if is_image else WIKILINK, "", 0)
    if is_image:
        # `![[chart.png|300x200]]` gives a size, not a description.
        token.content = "" if alias.replace("x", "").isdigit() else alias
    else:
        token.content = alias or target
    token.meta = {"target": target}
