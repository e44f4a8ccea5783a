"""Extractors of source code, one for each language. A new language is a module and a line of `LANGUAGES`."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from kebab_core import (
    CanonicalDocument,
    CodeBlock,
    CodeMedia,
    CodeRole,
    CodeSpan,
    ExtractContext,
    ExtractedText,
    ExtractorServices,
    MediaType,
    Message,
    Model,
    ParserVersion,
    SourceType,
    SymbolKind,
)
from kebab_parse import (
    BlockBuilder,
    add_notes,
    assemble_document,
    build_metadata,
    decode_escapes,
    decode_references,
    decode_text,
    identify_document,
    normalize_text,
)
from kebab_text import detect_language, is_generated, is_generated_name

from kebab_parse_code.c import C
from kebab_parse_code.cpp import CPP
from kebab_parse_code.definitions import SCOPE, error_nodes, find_definitions, find_nodes, parse, parse_source
from kebab_parse_code.go import GO
from kebab_parse_code.java import JAVA
from kebab_parse_code.javascript import JAVASCRIPT
from kebab_parse_code.kotlin import KOTLIN
from kebab_parse_code.python import PYTHON
from kebab_parse_code.rules import LanguageRules, text_of
from kebab_parse_code.rust import RUST
from kebab_parse_code.statements import StatementRows
from kebab_parse_code.typescript import TYPESCRIPT
from kebab_parse_code.units import Unit, code_symbol, cut_units, unit_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

NO_PARSER_VERSION = ParserVersion("none-v2")
_AGENT = "kebab-parse-code"

_SAMPLE_CHARS = 4096
_COMMENT_LINE = re.compile(r"\s*+(?:#(?!!)|//|--|/\*|\*|;|%)")
_LICENCE = re.compile(r"copyright|licen[cs]e|spdx", re.IGNORECASE)

LANGUAGES: Mapping[str, LanguageRules] = {
    rules.name: rules for rules in (C, CPP, GO, JAVA, JAVASCRIPT, KOTLIN, PYTHON, RUST, TYPESCRIPT)
}
"""Name to rules."""

_MAX_TRIES = 16
_MAX_BYTES = 4_000_000
"""Of all tries of a file together: each parses it once more."""
_MAX_ENDS = 3
"""Lines at the margin that are tried as the end of a place: a definition may have its type, or a remark, at the margin too."""
_AT_MARGIN = re.compile(rb"[A-Za-z_@$/~\x80-\xff]|#\[")
"""A line that may begin something: not indented, no closing bracket, no directive."""
_NOT_BLANK = re.compile(rb"[^\s]")


class CodeExtractor:
    """Extractor of one language, `code-<language>-v2`: a block for each definition and for the lines between them.

    Args:
        rules: Those of the language.
    """

    isolated: Final = True

    def __init__(self, rules: LanguageRules) -> None:
        self._rules = rules
        self._version = ParserVersion(f"code-{rules.name}-v3")

    def supports(self, media_type: MediaType) -> bool:
        """Return True for files of the language."""
        return isinstance(media_type, CodeMedia) and media_type.lang == self._rules.name

    def parser_version(self) -> ParserVersion:
        """Return its label."""
        return self._version

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Parse one file. Spans are `CodeSpan`s; every line that is not blank is in exactly one block.

        The title is the path, the language that of comments and doc strings. Lines that the grammar cannot read become blocks without a symbol; the rest of the file is
        read as if they were not there.

        Raises:
            UnsupportedMediaError: The content is not text.
            DependencyMissingError: The grammar is not installed.
        """
        path = context.asset.workspace_path
        text, warning = _read_text(content)
        lines = text.removesuffix("\n").split("\n")
        source = "".join(chain.from_iterable((line, "\n") for line in lines)).encode()
        warnings = [] if warning is None else [warning]
        rules, root = parse(self._rules, path, source, warnings)
        notes: list[Message] = []
        root, unread = read_again(rules, source, root, notes)
        definitions = find_definitions(rules, source, root, warnings)
        prefix = tuple(rules.prefix(path, root))
        builder = BlockBuilder(identify_document(context, self._version))
        role = role_of_file(str(path), content)
        statements = StatementRows(rules, root, lines)
        blocks = tuple(
            _read_block(
                rules,
                unit,
                lines,
                builder,
                prefix=prefix,
                has_definitions=bool(definitions),
                role=role,
                statements=statements.find(unit),
            )
            for unit in cut_units(lines, definitions, root, unread)
        )
        lang = detect_language(read_prose(rules, root))
        document = _build_document(
            context, blocks, version=self._version, lang=lang, code_lang=rules.name, warnings=warnings
        )
        return add_notes(document, context, notes, agent=_AGENT)


def _factory(rules: LanguageRules) -> Callable[[Model | None, ExtractorServices], CodeExtractor]:
    return lambda _settings, _services: CodeExtractor(rules)


# Each is an `ExtractorFactory`; there are no settings.
build_c_extractor = _factory(C)
build_cpp_extractor = _factory(CPP)
build_go_extractor = _factory(GO)
build_java_extractor = _factory(JAVA)
build_javascript_extractor = _factory(JAVASCRIPT)
build_kotlin_extractor = _factory(KOTLIN)
build_python_extractor = _factory(PYTHON)
build_rust_extractor = _factory(RUST)
build_typescript_extractor = _factory(TYPESCRIPT)


_DECODERS: Mapping[str, Callable[[str], str]] = {
    "ini": decode_escapes,
    "json": decode_escapes,
    "toml": decode_escapes,
    "xml": decode_references,
    "yaml": decode_escapes,
}
"""Language of data files to what reads the characters that it writes as escapes."""


class TextCodeExtractor:
    """Extractor of source text that is not parsed, `none-v2`: one block, the file.

    Characters that data files write as escapes are text of the document, which then has a text of its own with the lines of the file.

    Args:
        langs: Languages that it reads; None is every one.
    """

    def __init__(self, langs: Collection[str] | None = None) -> None:
        self._langs = langs

    def supports(self, media_type: MediaType) -> bool:
        """Return True for source code of its languages."""
        return isinstance(media_type, CodeMedia) and (self._langs is None or media_type.lang in self._langs)

    def parser_version(self) -> ParserVersion:
        """Return `none-v2`."""
        return NO_PARSER_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Its span is a `CodeSpan` without a symbol, its title the path, its language that of comments.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        media = context.asset.media_type
        lang = media.lang if isinstance(media, CodeMedia) else None
        written, warning = _read_text(content)
        decode = _DECODERS.get(lang or "")
        text = decode(written) if decode else written
        lines = text.removesuffix("\n").split("\n")
        span = CodeSpan(line_start=1, line_end=len(lines), lang=lang)
        place = BlockBuilder(identify_document(context, NO_PARSER_VERSION)).place("code", span)
        role = role_of_file(str(context.asset.workspace_path), content)
        block = CodeBlock(**place, lang=lang, code="\n".join(lines), role=role or CodeRole.LEFTOVER)
        blocks = (block,) if text.strip() else ()
        document = _build_document(
            context,
            blocks,
            version=NO_PARSER_VERSION,
            lang=detect_language(read_comment_lines(lines)),
            code_lang=lang,
            warnings=() if warning is None else (warning,),
        )
        return document if text == written else document.model_copy(update={"text": ExtractedText(text=text)})


def _text_factory(
    languages: Collection[str],
) -> Callable[[Model | None, ExtractorServices], TextCodeExtractor]:
    return lambda _settings, _services: TextCodeExtractor(languages)


build_yaml_extractor = _text_factory({"yaml"})
build_dockerfile_extractor = _text_factory({"dockerfile"})
build_manifest_extractor = _text_factory({"toml", "json", "xml", "groovy", "go-mod"})


def _read_text(content: bytes) -> tuple[str, Message | None]:
    decoded = decode_text(content)
    return normalize_text(decoded.text), decoded.warning


def _build_document(
    context: ExtractContext,
    blocks: tuple[CodeBlock, ...],
    *,
    version: ParserVersion,
    lang: str,
    code_lang: str | None,
    warnings: Sequence[Message],
) -> CanonicalDocument:
    facts = build_metadata({}, context=context, default_source_type=SourceType.CODE)
    head = assemble_document(
        context,
        parser_version=version,
        agent=_AGENT,
        title=str(context.asset.workspace_path),
        lang=lang,
        facts=facts,
        warnings=warnings,  # an empty file, such as many `__init__.py`, is nothing to warn of
        blocks=iter(()),
    ).head
    metadata = head.metadata.model_copy(update={"code_lang": code_lang})
    return head.model_copy(update={"blocks": blocks, "metadata": metadata})


def _read_block(
    rules: LanguageRules,
    unit: Unit,
    lines: Sequence[str],
    builder: BlockBuilder,
    *,
    prefix: tuple[str, ...],
    has_definitions: bool,
    role: CodeRole | None,
    statements: Sequence[Sequence[int]] | None,
) -> CodeBlock:
    names = unit.definition.names if unit.definition else ()
    builder.open_section(1, "")
    for level, name in enumerate(names, start=1):
        builder.open_section(level, name)
    defined = ((unit.definition,) if unit.definition and unit.is_head else ()) + unit.members
    symbols = (code_symbol(each, rules.separator.join((*prefix, *each.names))) for each in defined)
    span = CodeSpan(
        line_start=unit.first_row + 1,
        line_end=unit.last_row + 1,
        symbol=unit_symbol(
            unit, has_definitions=has_definitions, name=rules.separator.join((*prefix, *names))
        ),
        lang=rules.name,
    )
    return CodeBlock(
        **builder.place("code", span),
        lang=rules.name,
        code="\n".join(lines[unit.first_row : unit.last_row + 1]),
        symbols=tuple(symbol for symbol in symbols if symbol is not None) or None,
        role=role or _role_of(unit),
        statements=tuple(tuple(row + 1 for row in rows) for rows in statements) if statements else None,
    )


def _role_of(unit: Unit) -> CodeRole:
    definition = unit.definition
    if definition is not None and definition.is_test:
        return CodeRole.TEST
    is_leftover = (
        definition is None
        or not unit.is_head
        or (definition.kind == SCOPE and all(each.kind != SymbolKind.METHOD for each in unit.members))
    )
    return CodeRole.LEFTOVER if is_leftover else CodeRole.DEFINITION


def read_prose(rules: LanguageRules, root: Node) -> str:
    """Return the first 4,096 characters of comments and doc strings, without a licence at the top."""
    nodes = find_nodes(rules, rules.prose, root)
    return _join((node.start_point.row, node.end_point.row, text_of(node)) for node in nodes)


def read_comment_lines(lines: Sequence[str]) -> str:
    """Return the same of a file that is not parsed: lines that begin as comments do in most languages."""
    return _join((row, row, line) for row, line in enumerate(lines) if _COMMENT_LINE.match(line))


def _join(comments: Iterable[tuple[int, int, str]]) -> str:
    """Join comments, each with its first and last row."""
    groups: list[list[str]] = []
    end = chars = 0
    for first, last, text in comments:
        if chars > 2 * _SAMPLE_CHARS:
            break
        if not groups or first > end + 1:
            groups.append([])
        groups[-1].append(text)
        end, chars = last, chars + len(text)
    texts = ["\n".join(group) for group in groups]
    prose = texts[1:] if texts and _LICENCE.search(texts[0]) else texts
    return "\n".join(prose)[:_SAMPLE_CHARS]


_VENDORED = re.compile(
    r"(?:^|/)(?:vendor|vendored|_vendor|(?:third|3rd)[_-]?party|external|node_modules)/", re.IGNORECASE
)
_TESTS = re.compile(
    r"(?i:(?:^|/)(?:tests?|testing|__tests__|specs?|e2e)/)"
    r"|(?:^|/)[a-z][A-Za-z0-9]{0,50}Tests?/"
    r"|(?i:(?:^|/)(?:tests?|test_[^/]*|[^/]*[_-](?:tests?|unittests?|spec)|conftest)\.[^/.]+$)"
    r"|\.(?:test|spec)\.[^/.]+$"
    r"|(?:^|/)[^/]*[a-z0-9](?:Tests?|Spec)\.(?:java|kts?|scala|groovy|swift|cs|php)$"
    r"|(?:^|/)Test[A-Z][^/]*\.(?:java|kts?)$"
)
"""Names of folders such as `jvmTest` and of files such as `CartTest.java` are told by their capital: `Latest.java` is none."""
_EXAMPLES = re.compile(r"(?:^|/)(?:examples?|samples?|demos?|docs?_src|bench(?:es|marks?)?)/", re.IGNORECASE)


def role_of_file(path: str, content: bytes) -> CodeRole | None:
    """Return the role that all of a file has; None where that of each unit counts."""
    if _VENDORED.search(path):
        return CodeRole.VENDORED
    if is_generated_name(path.rpartition("/")[2]) or is_generated(content):
        return CodeRole.GENERATED
    if _TESTS.search(path):
        return CodeRole.TEST
    if _EXAMPLES.search(path):
        return CodeRole.EXAMPLE
    return None


class _Reading(NamedTuple):
    root: Node
    units: int
    errors: int


def read_again(
    rules: LanguageRules, source: bytes, root: Node, notes: list[Message]
) -> tuple[Node, frozenset[int]]:
    """Read a file again without the lines that its grammar cannot read, where they hide what follows.

    A place without which more definitions are read, or as many with fewer errors, is blank in what the grammar reads. It begins with the
    definition around an error, or with a line at the margin inside of it from which on the source has an error of its own, and ends before the
    next line at the margin. `notes` gets one if more places are left than are tried.

    Returns:
        The root of the tree, and the rows that were blanked.
    """
    unread: set[int] = set()
    tried: set[tuple[int, int]] = set()
    places = _places(rules, root, source)
    best: _Reading | None = None
    for _ in range(min(_MAX_TRIES, _MAX_BYTES // max(len(source), 1))):
        place = next((each for each in places if each not in tried), None)
        if place is None:
            break
        tried.add(place)
        best = best or _read(rules, source, root)
        lines = source.split(b"\n")
        lines[place[0] : place[1]] = [_NOT_BLANK.sub(b" ", line) for line in lines[place[0] : place[1]]]
        blanked = b"\n".join(lines)
        again = _read(rules, blanked, parse_source(rules, blanked))
        if (
            again.units >= best.units
            and again.errors <= best.errors
            and (again.units, -again.errors) > (best.units, -best.errors)
        ):
            best, source = again, blanked
            unread.update(range(*place))
            places = _places(rules, best.root, source)
    else:
        if any(each not in tried for each in places):
            notes.append(
                Message(
                    "only {tries} of the places that cannot be read were tried again; definitions behind others may be no symbols",
                    tries=len(tried),
                )
            )
    return (best.root if best else root), frozenset(unread)


def _read(rules: LanguageRules, source: bytes, root: Node) -> _Reading:
    units = sum(each.is_unit for each in find_definitions(rules, source, root))
    return _Reading(root, units, sum(1 for _ in error_nodes(root)))


def _places(rules: LanguageRules, root: Node, source: bytes) -> Iterator[tuple[int, int]]:
    """Yield first row and end of the places to try, those of the first error first.

    An error that ends before the next line at the margin hides nothing.
    """
    lines = source.split(b"\n")
    seen: set[int] = set()
    margins = [row for row, line in enumerate(lines) if _AT_MARGIN.match(line)]
    for node in sorted(error_nodes(root), key=lambda node: node.start_byte):
        around = node.parent if node.is_missing else node
        if around is None or not _swallowed(around, margins):
            continue
        while around.start_point.column and around.parent is not None:
            around = around.parent
        if around.id in seen:
            continue
        seen.add(around.id)
        first = around.start_point.row
        ends = _swallowed(around, margins)
        for start, end in pairwise([first, *ends]):
            if parse_source(rules, b"\n".join(lines[start:end]) + b"\n").has_error:
                yield start, end
        yield from ((first, end) for end in ends[1:_MAX_ENDS])


def _swallowed(around: Node, margins: Sequence[int]) -> list[int]:
    """Return the rows at the margin after the first row of a node."""
    first, last = around.start_point.row, around.end_point.row
    return [*margins[bisect_right(margins, first) : bisect_right(margins, last)]]
