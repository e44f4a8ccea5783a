"""The medium of a file by its name."""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import Literal, cast

from kebab_core import (
    AudioFormat,
    AudioMedia,
    CodeIngestSettings,
    CodeMedia,
    EmailMedia,
    EpubMedia,
    HtmlMedia,
    HwpMedia,
    ImageFormat,
    ImageMedia,
    MarkdownMedia,
    MediaType,
    OfficeFormat,
    OfficeMedia,
    OtherMedia,
    PdfMedia,
    SkipReason,
    SubtitlesFormat,
    SubtitlesMedia,
    TextMedia,
)
from kebab_text import is_generated

_MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "mdx"})
_TEXT = frozenset({"txt", "text", "rst", "org", "adoc", "asciidoc"})
_OFFICE = {
    "docx": "docx",
    "docm": "docx",
    "dotx": "docx",
    "pptx": "pptx",
    "pptm": "pptx",
    "ppsx": "pptx",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
    "xls": "xls",
    "ods": "ods",
    "odt": "odt",
    "odp": "odp",
    "csv": "csv",
    "tsv": "tsv",
}
_HTML = frozenset({"html", "htm", "xhtml", "mht", "mhtml"})
_IMAGES = {
    "png": "png",
    "jpg": "jpeg",
    "jpeg": "jpeg",
    "webp": "webp",
    "gif": "gif",
    "tif": "tiff",
    "tiff": "tiff",
    "bmp": "bmp",
    "heic": "heic",
    "heif": "heic",
    "avif": "avif",
    "svg": "svg",
}
_SUBTITLES = frozenset({"srt", "vtt", "lrc"})
_AUDIO = frozenset({"m4a", "mp3", "wav", "flac", "ogg"})
_CODE = {
    "rust": "rs",
    "python": "py pyi pyw",
    "typescript": "ts tsx mts cts",
    "javascript": "js mjs cjs jsx",
    "go": "go",
    "java": "java",
    "kotlin": "kt kts",
    "c": "c",
    "cpp": "cpp cc cxx c++ hpp hh hxx h++ h ipp tpp inl",
    "yaml": "yaml yml",
    "dockerfile": "dockerfile containerfile",
    "toml": "toml",
    "json": "json json5 jsonc",
    "xml": "xml xsd xsl xslt wsdl csproj fsproj vbproj props targets",
    "groovy": "gradle groovy",
    "shell": "sh bash zsh ksh fish",
    "make": "mk mak",
    "assembly": "asm s",
    "awk": "awk",
    "batch": "bat cmd",
    "bazel": "bzl bazel",
    "clojure": "clj cljs cljc edn",
    "cmake": "cmake",
    "crystal": "cr",
    "csharp": "cs csx",
    "css": "css scss sass less",
    "cuda": "cu cuh",
    "dart": "dart",
    "diff": "diff patch",
    "elisp": "el",
    "elixir": "ex exs",
    "elm": "elm",
    "erlang": "erl hrl",
    "fortran": "f f90 f95 f03 f08",
    "fsharp": "fs fsi fsx",
    "glsl": "glsl vert frag",
    "graphql": "graphql gql",
    "haskell": "hs lhs",
    "ini": "ini cfg conf properties editorconfig pro",
    "jinja": "j2 jinja jinja2",
    "julia": "jl",
    "lisp": "lisp lsp cl scm rkt",
    "lua": "lua",
    "nim": "nim",
    "nix": "nix",
    "objective-c": "m mm",
    "ocaml": "ml mli",
    "pascal": "pas pp dpr",
    "perl": "pl pm",
    "php": "php phtml",
    "powershell": "ps1 psm1 psd1",
    "proto": "proto",
    "r": "r",
    "ruby": "rb rake gemspec ru",
    "scala": "scala sc sbt",
    "solidity": "sol",
    "sql": "sql ddl",
    "svelte": "svelte",
    "swift": "swift",
    "tcl": "tcl",
    "template": "tpl tmpl gotmpl mustache hbs ejs erb",
    "terraform": "tf hcl",
    "verilog": "v vh sv svh",
    "vhdl": "vhd vhdl",
    "vim": "vim",
    "visual-basic": "vb vbs bas",
    "vue": "vue",
    "zig": "zig",
}
_LANGUAGES = {extension: lang for lang, extensions in _CODE.items() for extension in extensions.split()}
_NAMES = {
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "go.mod": "go-mod",
    "go.work": "go-mod",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "gemfile": "ruby",
    "rakefile": "ruby",
    "podfile": "ruby",
    "vagrantfile": "ruby",
    "brewfile": "ruby",
    "jenkinsfile": "groovy",
    "justfile": "make",
    "meson.build": "meson",
    "workspace.bazel": "bazel",
    "build.bazel": "bazel",
}


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
    if media.kind == "other" and name.startswith(("dockerfile.", "containerfile.")):
        return CodeMedia(lang="dockerfile")
    return media


@lru_cache(maxsize=1024)
def _media_of_extension(extension: str) -> MediaType:  # noqa: C901, PLR0911 - a table of twelve kinds
    if extension in _MARKDOWN:
        return MarkdownMedia()
    if extension in _TEXT:
        return TextMedia()
    if extension == "pdf":
        return PdfMedia()
    if extension in _OFFICE:
        return OfficeMedia(format=cast("OfficeFormat", _OFFICE[extension]))
    if extension in _HTML:
        return HtmlMedia()
    if extension == "epub":
        return EpubMedia()
    if extension in {"hwp", "hwpx"}:
        return HwpMedia(format=cast("Literal['hwp', 'hwpx']", extension))
    if extension in {"eml", "mbox"}:
        return EmailMedia(format=cast("Literal['eml', 'mbox']", extension))
    if extension in _IMAGES:
        return ImageMedia(format=cast("ImageFormat", _IMAGES[extension]))
    if extension in _SUBTITLES:
        return SubtitlesMedia(format=cast("SubtitlesFormat", extension))
    if extension in _AUDIO:
        return AudioMedia(format=cast("AudioFormat", extension))
    if extension in _LANGUAGES:
        return CodeMedia(lang=_LANGUAGES[extension])
    return OtherMedia(label=extension)


SNIFF_VERSION = "sniff@2"
"""Raised when the same content gets another verdict: files that were left out are then looked into again."""

_BINARY_BYTES = 8000
"""Bytes that git searches for a zero byte before it calls a file text."""
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def sniff_skip(media: MediaType, content: bytes, settings: CodeIngestSettings) -> SkipReason | None:
    """The reason why a file that has been read is left out all the same, or None.

    Only source code is judged: a note that says "do not edit" is a note. Checked in this order: binary content (a zero byte), too many
    bytes or lines, a generator's mark in the first ten lines, lines too long to be written by a person.

    Args:
        media: The medium of the file.
        content: The whole file.
        settings: What to leave out.
    """
    if not isinstance(media, CodeMedia):
        return None
    if content.startswith(_UTF16_MARKS):
        content = content.decode("utf-16", errors="replace").encode()
    if b"\0" in content[:_BINARY_BYTES]:
        return SkipReason.BINARY_CONTENT
    if len(content) > settings.max_file_bytes:
        return SkipReason.SIZE_EXCEEDED
    lines = content.count(b"\n") + (content != b"" and not content.endswith(b"\n"))
    if lines > settings.max_file_lines:
        return SkipReason.SIZE_EXCEEDED
    if settings.skip_generated and is_generated(content):
        return SkipReason.GENERATED
    return None
