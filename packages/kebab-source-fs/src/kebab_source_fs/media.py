"""The medium of a file by its name."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from kebab_core import (
    AudioFormat,
    AudioMedia,
    CodeMedia,
    ImageFormat,
    ImageMedia,
    MarkdownMedia,
    MediaType,
    OtherMedia,
    PdfMedia,
    TextMedia,
)

_MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "mdx"})
_TEXT = frozenset({"txt", "text", "rst", "org", "adoc", "asciidoc"})
_IMAGES = {
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
    "gif": "gif",
    "tif": "tiff",
    "tiff": "tiff",
}
_AUDIO = frozenset({"m4a", "mp3", "wav", "flac", "ogg"})
_CODE = {
    "rust": "rs",
    "python": "py pyi",
    "typescript": "ts tsx mts cts",
    "javascript": "js mjs cjs jsx",
    "go": "go",
    "java": "java",
    "kotlin": "kt kts",
    "c": "c h",
    "cpp": "cpp cc cxx hpp hh hxx",
    "yaml": "yaml yml",
    "dockerfile": "dockerfile",
    "toml": "toml",
    "json": "json",
    "xml": "xml",
    "groovy": "gradle",
    "shell": "sh bash zsh",
    "make": "mk",
}
_LANGUAGES = {extension: lang for lang, extensions in _CODE.items() for extension in extensions.split()}
_NAMES = {"dockerfile": "dockerfile", "go.mod": "go-mod", "makefile": "make", "gnumakefile": "make"}


def media_type_of(name: str) -> MediaType:
    """Return the medium that a file's name stands for.

    Case does not matter. A whole name (`Makefile`, `go.mod`) ranks above an extension, an extension that is known
    above `Dockerfile.*`, so that `Dockerfile.md` is Markdown. Unknown names are `other`, labelled by extension.

    Args:
        name: The last component of a path.
    """
    name = name.lower()
    lang = _NAMES.get(name)
    if lang is not None:
        return CodeMedia(lang=lang)
    stem, dot, extension = name.rpartition(".")
    media = _media_of_extension(extension if dot and stem else "")
    if media.kind == "other" and name.startswith("dockerfile."):
        return CodeMedia(lang="dockerfile")
    return media


@lru_cache(maxsize=1024)
def _media_of_extension(extension: str) -> MediaType:  # noqa: PLR0911 - a table of seven kinds
    if extension in _MARKDOWN:
        return MarkdownMedia()
    if extension in _TEXT:
        return TextMedia()
    if extension == "pdf":
        return PdfMedia()
    if extension in _IMAGES:
        return ImageMedia(format=cast("ImageFormat", _IMAGES[extension]))
    if extension in _AUDIO:
        return AudioMedia(format=cast("AudioFormat", extension))
    if extension in _LANGUAGES:
        return CodeMedia(lang=_LANGUAGES[extension])
    return OtherMedia(label=extension)
