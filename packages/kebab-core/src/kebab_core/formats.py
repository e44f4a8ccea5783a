"""The formats of files: the one table of names that stand for a medium. Whether a medium is read is up to the extractors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from kebab_core.files import split_extension
from kebab_core.media import (
    ArchiveMedia,
    AudioFormat,
    AudioMedia,
    ChatFormat,
    ChatMedia,
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
    StructuredFormat,
    StructuredMedia,
    SubtitlesFormat,
    SubtitlesMedia,
    TextFormat,
    TextMedia,
)
from kebab_core.messages import Message

CitedPlace = Literal["lines", "text_lines", "pages", "slides", "cells", "regions", "times"]
"""What citations of a format name."""
CITED_PLACES: Mapping[CitedPlace, Message] = {
    "lines": Message("lines"),
    "text_lines": Message("lines of its text"),
    "pages": Message("pages"),
    "slides": Message("slides"),
    "cells": Message("cells"),
    "regions": Message("rectangles of recognised lines"),
    "times": Message("times"),
}
"""Words of them."""


class FileFormat(NamedTuple):
    """A format of files."""

    media: MediaType
    title: Message
    extensions: tuple[str, ...]
    """In lower case, without dot; empty for a format that content alone tells."""
    cites: CitedPlace = "lines"
    needs: str = ""
    """Distribution that must be installed besides kebab, such as `kebab-cli[audio]`; empty for none."""

    @property
    def name(self) -> str:
        """Its name among the formats of its medium."""
        media = self.media
        if media.kind == "code":
            return media.lang
        if media.kind == "other":
            return media.label
        return str(getattr(media, "format", media.kind))


def _text(name: TextFormat, title: Message, extensions: str) -> FileFormat:
    return FileFormat(TextMedia(format=name), title, tuple(extensions.split()))


def _office(
    name: OfficeFormat,
    title: Message,
    extensions: str,
    cites: CitedPlace = "text_lines",
    *,
    needs: str = "",
) -> FileFormat:
    return FileFormat(OfficeMedia(format=name), title, tuple(extensions.split()), cites, needs=needs)


def _structured(name: StructuredFormat, title: Message, extensions: str = "") -> FileFormat:
    return FileFormat(StructuredMedia(format=name), title, tuple(extensions.split()), "text_lines")


def _picture(name: ImageFormat, title: Message, extensions: str) -> FileFormat:
    return FileFormat(ImageMedia(format=name), title, tuple(extensions.split()), "regions")


_SUBTITLES: tuple[tuple[SubtitlesFormat, tuple[str, ...]], ...] = (
    ("srt", ("srt",)),
    ("vtt", ("vtt",)),
    ("lrc", ("lrc",)),
    ("smi", ("smi",)),
    ("ass", ("ass", "ssa")),
    ("sbv", ("sbv",)),
    ("ttml", ("ttml", "dfxp")),
)
_CHATS: tuple[tuple[ChatFormat, Message], ...] = (
    ("kakaotalk", Message("exported chat of KakaoTalk (text)")),
    ("kakaotalk-csv", Message("exported chat of KakaoTalk (CSV)")),
    ("whatsapp", Message("exported chat of WhatsApp (text)")),
    ("line", Message("exported chat of LINE (text)")),
    ("zoom", Message("exported chat of Zoom (text)")),
    ("telegram", Message("exported chat of Telegram (JSON)")),
    ("telegram-html", Message("exported chat of Telegram (HTML)")),
    ("slack", Message("exported chat of Slack (JSON)")),
    ("discord", Message("exported chat of Discord (JSON)")),
    ("discord-text", Message("exported chat of Discord (text)")),
    ("discord-csv", Message("exported chat of Discord (CSV)")),
    ("discord-html", Message("exported chat of Discord (HTML)")),
    ("messenger", Message("exported chat of Instagram or Messenger (JSON)")),
    ("google-chat", Message("exported chat of Google Chat (JSON of Takeout)")),
    ("chatgpt", Message("exported conversations with ChatGPT (JSON)")),
    ("claude", Message("exported conversations with Claude (JSON)")),
)
_RECORDINGS: tuple[tuple[AudioFormat, tuple[str, ...]], ...] = (
    ("m4a", ("m4a", "m4b")),
    ("mp3", ("mp3",)),
    ("wav", ("wav",)),
    ("flac", ("flac",)),
    ("ogg", ("ogg", "oga", "opus")),
)
_SOURCE_CODE = Message("source code")
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
    "yaml": "yaml yml base",
    "dockerfile": "dockerfile containerfile",
    "toml": "toml",
    "json": "json json5 jsonc geojson",
    "xml": "xml rdf gpx kml plist xsd xsl xslt wsdl csproj fsproj vbproj props targets",
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
    "go-mod": "",
    "graphql": "graphql gql",
    "haskell": "hs lhs",
    "ini": "ini cfg conf properties editorconfig pro",
    "jinja": "j2 jinja jinja2",
    "julia": "jl",
    "lisp": "lisp lsp cl scm rkt",
    "lua": "lua",
    "meson": "",
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
FORMATS: tuple[FileFormat, ...] = (
    FileFormat(MarkdownMedia(), Message("Markdown"), ("md", "markdown", "mdown", "mkd", "mdx", "qmd", "rmd")),
    _text("plain", Message("plain text"), "txt text ris qif ofx qfx taskpaper"),
    _text("unnamed", Message("text in a file without an extension"), ""),
    _text("org", Message("Org"), "org"),
    _text("rst", Message("reStructuredText"), "rst"),
    _text("asciidoc", Message("AsciiDoc"), "adoc asciidoc"),
    _text("latex", Message("LaTeX"), "tex ltx"),
    _text("typst", Message("Typst"), "typ"),
    _text("wiki", Message("wiki text"), "wiki mediawiki"),
    _text("textile", Message("Textile"), "textile"),
    _text("records", Message("JSON, one value a line"), "jsonl ndjson"),
    _text("log", Message("log"), "log"),
    _text(
        "diagram", Message("diagram as text (Mermaid, PlantUML, Graphviz)"), "mmd mermaid puml plantuml gv"
    ),
    FileFormat(PdfMedia(), Message("PDF"), ("pdf",), "pages"),
    _office("docx", Message("Word"), "docx docm dotx"),
    _office("doc", Message("Word before 2007"), "doc dot", needs="kebab-cli[doc]"),
    _office("rtf", Message("Rich Text"), "rtf"),
    _office("odt", Message("OpenDocument text"), "odt"),
    _office("pptx", Message("PowerPoint"), "pptx pptm ppsx", "slides"),
    _office("ppt", Message("PowerPoint before 2007"), "ppt pps", "slides", needs="kebab-cli[doc]"),
    _office("odp", Message("OpenDocument presentation"), "odp", "slides"),
    _office("xlsx", Message("Excel"), "xlsx xlsm", "cells"),
    _office("xls", Message("Excel before 2007"), "xls", "cells"),
    _office("ods", Message("OpenDocument sheet"), "ods", "cells"),
    _office("csv", Message("table as text"), "csv", "cells"),
    _office("tsv", Message("table as text"), "tsv", "cells"),
    FileFormat(HwpMedia(format="hwp"), Message("Hangul document"), ("hwp",), "text_lines"),
    FileFormat(HwpMedia(format="hwpx"), Message("Hangul document"), ("hwpx",), "text_lines"),
    FileFormat(
        HtmlMedia(), Message("web page"), ("html", "htm", "xhtml", "mht", "mhtml", "webarchive"), "text_lines"
    ),
    FileFormat(EpubMedia(), Message("book"), ("epub",), "text_lines"),
    FileFormat(EpubMedia(format="fb2"), Message("book"), ("fb2",), "text_lines"),
    FileFormat(EmailMedia(format="eml"), Message("mail"), ("eml", "emlx"), "text_lines"),
    FileFormat(EmailMedia(format="mbox"), Message("mailbox"), ("mbox",), "text_lines"),
    FileFormat(EmailMedia(format="msg"), Message("mail of Outlook"), ("msg",), "text_lines"),
    _structured("ipynb", Message("Jupyter notebook"), "ipynb"),
    _structured("ics", Message("calendar"), "ics ical"),
    _structured("vcf", Message("contacts"), "vcf vcard"),
    _structured("canvas", Message("canvas of Obsidian"), "canvas"),
    _structured("excalidraw", Message("drawing of Excalidraw"), "excalidraw"),
    _structured("drawio", Message("diagram of diagrams.net"), "drawio dio"),
    _structured("opml", Message("outline"), "opml"),
    _structured("enex", Message("notes of Evernote"), "enex"),
    _structured("keep", Message("note of Google Keep (JSON of Takeout)")),
    _structured("kindle", Message("clippings of Kindle (My Clippings.txt)")),
    _structured("bib", Message("bibliography"), "bib"),
    _structured("roam", Message("pages of Roam (JSON)")),
    _structured("trello", Message("board of Trello (JSON)")),
    _structured("dayone", Message("journal of Day One (JSON)")),
    _structured("tasks", Message("tasks of Google (JSON of Takeout)")),
    _structured("simplenote", Message("notes of Simplenote (JSON)")),
    _structured("data", Message("other JSON in long lines, with texts of several words")),
    _structured("feed", Message("feed or export of a blog (RSS, Atom)"), "rss atom"),
    _structured("anki", Message("notes of Anki (text)")),
    _structured("webloc", Message("bookmark"), "webloc"),
    _structured("url", Message("bookmark"), "url"),
    FileFormat(
        ArchiveMedia(), Message("archive, with the files in it"), ("zip", "textpack", "bear2bk"), "text_lines"
    ),
    _picture("png", Message("picture"), "png"),
    _picture("jpeg", Message("picture"), "jpg jpeg"),
    _picture("webp", Message("picture"), "webp"),
    _picture("gif", Message("picture"), "gif"),
    _picture("tiff", Message("picture"), "tif tiff"),
    _picture("bmp", Message("picture"), "bmp"),
    _picture("heic", Message("picture"), "heic heif"),
    _picture("avif", Message("picture"), "avif"),
    FileFormat(ImageMedia(format="svg"), Message("drawing"), ("svg",), "text_lines"),
    *(
        FileFormat(SubtitlesMedia(format=name), Message("subtitles or lyrics"), extensions, "times")
        for name, extensions in _SUBTITLES
    ),
    *(FileFormat(ChatMedia(format=name), title, (), "text_lines") for name, title in _CHATS),
    *(
        FileFormat(
            AudioMedia(format=name), Message("recording"), extensions, "times", needs="kebab-cli[audio]"
        )
        for name, extensions in _RECORDINGS
    ),
    *(FileFormat(CodeMedia(lang=lang), _SOURCE_CODE, tuple(each.split())) for lang, each in _CODE.items()),
)
"""Every format that has a name, in the order in which they are shown."""
PICTURE_SUFFIXES = tuple(
    f".{each}" for one in FORMATS if one.media.kind == "image" for each in one.extensions
)
"""Ends of names of pictures, in lower case."""
PIXEL_SUFFIXES = tuple(each for each in PICTURE_SUFFIXES if each != ".svg")
"""The same without drawings, which may hold scripts."""
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
"""Whole names of source code, in lower case, and their languages."""
_OLDER_LOG = re.compile(r".*\.log\.\d{1,4}", re.DOTALL)


_SAVED_AS = {
    "DOCX": "pages wps",
    "PPTX": "key",
    "XLSX": "numbers",
    "PDF": "one ai sketch xd vsd vsdx ps eps djvu xps",
    "PNG": "psd xcf kra raw cr2 nef",
    "EPUB": "mobi azw3",
    "CSV": "sqlite sqlite3 db mdb accdb parquet sav",
    "Markdown": "jex",
    "TXT": "apkg colpkg",
}
"""Extensions of files that are not read, by what their own programs can save them as."""
_SAVE_AS = {extension: name for name, each in _SAVED_AS.items() for extension in each.split()}
_PACKED = frozenset(["7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst", "iso", "dmg"])
_MOVIES = frozenset(["mp4", "mov", "mkv", "avi", "webm", "m4v", "wmv", "flv", "mpg", "mpeg"])
_WITHOUT_TEXT = frozenset([
    "exe",
    "dll",
    "so",
    "dylib",
    "o",
    "a",
    "lib",
    "obj",
    "class",
    "pyc",
    "pyo",
    "jar",
    "war",
    "wasm",
    "bin",
    "dat",
    "ttf",
    "otf",
    "woff",
    "woff2",
    "eot",
    "ico",
    "icns",
    "cur",
    "msi",
    "deb",
    "rpm",
    "apk",
    "lnk",
    "tmp",
    "bak",
    "swp",
    "lock",
    "pack",
    "idx",
    "map",
])


def find_better_format(extension: str) -> str | None:
    """Return the format that the own program of files that are not read can save them as; None where none is known."""
    return _SAVE_AS.get(extension.lower())


def advise_on_unread(extension: str) -> Message | None:
    """Return what to do about files of a kind that is not read; None where nothing is known of it.

    Args:
        extension: Their extension without dot.
    """
    if name := find_better_format(extension):
        return Message(
            "open .{extension} files in their own program and save them as {name}",
            extension=extension,
            name=name,
        )
    if extension in _PACKED:
        return Message("unpack .{extension} files into the folder", extension=extension)
    if extension in _MOVIES:
        return Message("the text of a film is read from its subtitles or a transcript beside it")
    if extension in _WITHOUT_TEXT:
        return Message(
            ".{extension} files hold no text; a line *.{extension} in .kebabignore ends this remark",
            extension=extension,
        )
    return None


def media_type_of(name: str) -> MediaType:
    """Return the medium that a file's name stands for.

    Case does not matter. A whole name (`Makefile`, `go.mod`) ranks above an extension, an extension that is known
    above `Dockerfile.*`, so that `Dockerfile.md` is Markdown. A name without an extension (`split_extension`) stands for text, which
    the content must turn out to be. Unknown names, and hidden files without an extension, are `other`, labelled by extension.

    Args:
        name: The last component of a path.
    """
    name = name.lower()
    lang = _NAMES.get(name)
    if lang is not None:
        return CodeMedia(lang=lang)
    if _OLDER_LOG.fullmatch(name):
        return TextMedia(format="log")
    stem, extension = split_extension(name)
    if extension == "md" and stem.endswith(".excalidraw"):
        return _media_of_extension("excalidraw")
    is_unnamed = not extension and not name.startswith(".")
    media = _media_of_unnamed() if is_unnamed else _media_of_extension(extension)
    if (is_unnamed or media.kind == "other") and name.startswith(("dockerfile.", "containerfile.")):
        return CodeMedia(lang="dockerfile")
    return media


@cache
def _media_of_unnamed() -> MediaType:
    return TextMedia(format="unnamed")


@lru_cache(maxsize=1024)
def _media_of_extension(extension: str) -> MediaType:
    return _media_by_extension().get(extension) or OtherMedia(label=extension)


@cache
def _media_by_extension() -> dict[str, MediaType]:
    return {extension: one.media for one in FORMATS for extension in one.extensions}
