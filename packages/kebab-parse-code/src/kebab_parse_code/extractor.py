"""Extractors of source code, one for each language."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final

from kebab_core import (
    CanonicalDocument,
    CodeBlock,
    CodeMedia,
    CodeRole,
    CodeSpan,
    ExtractContext,
    ExtractorServices,
    LanguageDetector,
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
    decode_text,
    identify_document,
    normalize_text,
)

from kebab_parse_code.c import C
from kebab_parse_code.cpp import CPP
from kebab_parse_code.definitions import SCOPE, find_definitions, parse
from kebab_parse_code.file_facts import read_comment_lines, read_prose, role_of_file
from kebab_parse_code.go import GO
from kebab_parse_code.java import JAVA
from kebab_parse_code.javascript import JAVASCRIPT
from kebab_parse_code.kotlin import KOTLIN
from kebab_parse_code.python import PYTHON
from kebab_parse_code.rules import LanguageRules
from kebab_parse_code.rust import RUST
from kebab_parse_code.statements import StatementRows
from kebab_parse_code.typescript import TYPESCRIPT
from kebab_parse_code.units import Unit, code_symbol, cut_units, unit_symbol
from kebab_parse_code.unread_lines import read_again

NO_PARSER_VERSION = ParserVersion("none-v1")
_AGENT = "kebab-parse-code"


class CodeExtractor:
    """Extractor of one language, `code-<language>-v2`: a block for each definition and for the lines between them.

    Args:
        rules: Those of the language.
        detector: Detects the language that comments are written in.
    """

    isolated: Final = True

    def __init__(self, rules: LanguageRules, detector: LanguageDetector) -> None:
        self._rules = rules
        self._detector = detector
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
        lang = self._detector.detect(read_prose(rules, root))
        document = _build_document(
            context, blocks, version=self._version, lang=lang, code_lang=rules.name, warnings=warnings
        )
        return add_notes(document, context, notes, agent=_AGENT)


def build_c_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of C. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(C, services.detector)


def build_cpp_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of C++. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(CPP, services.detector)


def build_go_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of Go. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(GO, services.detector)


def build_java_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of Java. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(JAVA, services.detector)


def build_javascript_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of JavaScript. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(JAVASCRIPT, services.detector)


def build_kotlin_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of Kotlin. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(KOTLIN, services.detector)


def build_python_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of Python. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(PYTHON, services.detector)


def build_rust_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of Rust. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(RUST, services.detector)


def build_typescript_extractor(_settings: Model | None, services: ExtractorServices) -> CodeExtractor:
    """Build the extractor of TypeScript. Implements `ExtractorFactory`; there are no settings."""
    return CodeExtractor(TYPESCRIPT, services.detector)


class TextCodeExtractor:
    """Extractor of source text that is not parsed, `none-v1`: one block, the file.

    Args:
        detector: Detects the language that comments are written in.
        langs: Languages that it reads; None is every one.
    """

    def __init__(self, detector: LanguageDetector, langs: Collection[str] | None = None) -> None:
        self._detector = detector
        self._langs = langs

    def supports(self, media_type: MediaType) -> bool:
        """Return True for source code of its languages."""
        return isinstance(media_type, CodeMedia) and (self._langs is None or media_type.lang in self._langs)

    def parser_version(self) -> ParserVersion:
        """Return `none-v1`."""
        return NO_PARSER_VERSION

    def extract(self, context: ExtractContext, content: bytes) -> CanonicalDocument:
        """Read one file. Its span is a `CodeSpan` without a symbol, its title the path, its language that of comments.

        Raises:
            UnsupportedMediaError: The content is not text.
        """
        media = context.asset.media_type
        lang = media.lang if isinstance(media, CodeMedia) else None
        text, warning = _read_text(content)
        lines = text.removesuffix("\n").split("\n")
        span = CodeSpan(line_start=1, line_end=len(lines), lang=lang)
        place = BlockBuilder(identify_document(context, NO_PARSER_VERSION)).place("code", span)
        role = role_of_file(str(context.asset.workspace_path), content)
        block = CodeBlock(**place, lang=lang, code="\n".join(lines), role=role or CodeRole.LEFTOVER)
        blocks = (block,) if text.strip() else ()
        return _build_document(
            context,
            blocks,
            version=NO_PARSER_VERSION,
            lang=self._detector.detect(read_comment_lines(lines)),
            code_lang=lang,
            warnings=() if warning is None else (warning,),
        )


def build_text_code_extractor(_settings: Model | None, services: ExtractorServices) -> TextCodeExtractor:
    """Build the extractor of source text. Implements `ExtractorFactory`; there are no settings."""
    return TextCodeExtractor(services.detector)


def build_yaml_extractor(_settings: Model | None, services: ExtractorServices) -> TextCodeExtractor:
    """Build the extractor of YAML. Implements `ExtractorFactory`; there are no settings."""
    return TextCodeExtractor(services.detector, {"yaml"})


def build_dockerfile_extractor(_settings: Model | None, services: ExtractorServices) -> TextCodeExtractor:
    """Build the extractor of container files. Implements `ExtractorFactory`; there are no settings."""
    return TextCodeExtractor(services.detector, {"dockerfile"})


def build_manifest_extractor(_settings: Model | None, services: ExtractorServices) -> TextCodeExtractor:
    """Build the extractor of manifests of projects. Implements `ExtractorFactory`; there are no settings."""
    return TextCodeExtractor(services.detector, {"toml", "json", "xml", "groovy", "go-mod"})


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
