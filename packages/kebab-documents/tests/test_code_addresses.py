"""Source code by names: the address of a symbol, the outline of a file, callers, callees, same names and tests."""

from __future__ import annotations

import pytest
from kebab_core import (
    AmbiguousAddressError,
    CodeBlock,
    CodeMedia,
    CodeRole,
    CodeSpan,
    CodeSymbol,
    DocumentNotFoundError,
    DocumentRecord,
    SourceId,
    SymbolKind,
    split_symbol,
)
from kebab_documents import AddressLookup, Links, RelatedFinder
from kebab_documents.outline import find_section, list_headings
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

Unit = tuple[str, int, str]
"""Symbol, first line and text of a unit."""
FILES: tuple[Unit, ...] = (
    ("files.open_all", 1, "def open_all(paths):\n    return [open_one(path) for path in paths]"),
    ("files.open_one", 4, "def open_one(path):\n    return Handle(path)"),
    ("files.Handle", 8, "class Handle:\n    def __init__(self, path): ..."),
    ("files.main", 12, "def main():\n    for each in open_all([]):\n        each.close()"),
)
TESTS: tuple[Unit, ...] = (
    ("test_files.test_open_all", 1, "def test_open_all():\n    open_all([])"),
    ("test_files.test_open_all_of_nothing", 4, "def test_open_all_of_nothing():\n    open_all([])"),
)


class SourceTree:
    """Source files with their addresses."""

    def __init__(self) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.index = self.stores.index
        self.lookup = AddressLookup(
            documents=self.store,
            source_ids=[SourceId("default")],
            index=self.index,
            find_file=lambda _text: (),
        )
        self.put("src/files.py", FILES)
        self.put("tests/test_files.py", TESTS, CodeRole.TEST)
        self.put("src/other.py", (("other.open_one", 1, "def open_one(): ..."),))

    def put(
        self,
        path: str,
        units: tuple[Unit, ...],
        role: CodeRole = CodeRole.DEFINITION,
        *,
        source: str = "default",
    ) -> None:
        self.store.replace_document(code_record(path, units, role, source=source))

    def address_of(self, text: str) -> str:
        return self.lookup.find(text).address

    def related(self, address: str, *, limit: int = 10) -> dict[str, list[str]]:
        links = Links(self.store.list_entries(), self.store.list_links())
        finder = RelatedFinder(
            documents=self.store,
            links=links,
            embeddings=None,
            vectors=None,
            index=self.index,
            analyzer=WordAnalyzer(),
        )
        kinds: dict[str, list[str]] = {}
        for one in finder.find(self.lookup.find(address), limit=limit).documents:
            kinds.setdefault(one.relation.value, []).append(f"{one.address} {one.text}")
        return kinds


def code_record(
    path: str, units: tuple[Unit, ...], role: CodeRole, *, source: str = "default"
) -> DocumentRecord:
    """Return the record of a source file, a block and a chunk for each unit."""
    symbols = [
        CodeSymbol(
            symbol=symbol,
            kind=SymbolKind.FUNCTION,
            line_start=line,
            line_end=line + text.count("\n"),
            signature=text.split("\n", maxsplit=1)[0],
        )
        for symbol, line, text in units
    ]
    record = build_record(
        RecordSpec(
            path=path,
            source=source,
            paragraphs=[text for _, _, text in units],
            media=CodeMedia(lang="python"),
            code_lang="python",
            symbols=[[each] for each in symbols],
            roles=[role] * len(units),
        )
    )
    blocks = tuple(
        CodeBlock(
            block_id=block.block_id,
            heading_path=split_symbol(each.symbol)[1:],
            source_span=CodeSpan(
                line_start=each.line_start, line_end=each.line_end, symbol=each.symbol, lang="python"
            ),
            lang="python",
            code=text,
            symbols=(each,),
            role=role,
        )
        for block, each, (_, _, text) in zip(record.document.blocks, symbols, units, strict=True)
    )
    return record.model_copy(update={"document": record.document.model_copy(update={"blocks": blocks})})


@pytest.fixture
def tree() -> SourceTree:
    return SourceTree()


@pytest.mark.parametrize("name", ["open_all", "files.open_all", "openAll", "files::open_all"])
def test_a_symbol_is_an_address_of_its_lines(tree: SourceTree, name: str) -> None:
    assert tree.address_of(f"symbol:{name}") == "src/files.py#L1-L2"


def test_a_name_of_several_symbols_is_an_error_that_lists_them(tree: SourceTree) -> None:
    with pytest.raises(AmbiguousAddressError) as caught:
        tree.lookup.find("symbol:open_one")
    assert caught.value.details["candidates"] == ["src/files.py#L4-L5", "src/other.py#L1"]
    assert tree.address_of("symbol:other.open_one") == "src/other.py#L1"


def test_a_definition_comes_before_a_declaration_of_the_same_name(tree: SourceTree) -> None:
    tree.put("src/sds.h", (("sdsnew", 2, "sds sdsnew(const char *text);"),))
    assert tree.address_of("symbol:sdsnew") == "src/sds.h#L2"
    tree.put("src/sds.c", (("sdsnew", 7, "sds sdsnew(const char *text) {\n    return 0;\n}"),))
    assert tree.address_of("symbol:sdsnew") == "src/sds.c#L7-L9"


def test_the_spelling_of_a_name_decides_where_only_that_differs(tree: SourceTree) -> None:
    tree.put("src/styles.py", (("styles.openAll", 3, "def openAll(): ..."),))
    assert tree.address_of("symbol:openAll") == "src/styles.py#L3"
    assert tree.address_of("symbol:open_all") == "src/files.py#L1-L2"


def test_a_name_that_no_symbol_has_is_an_error_with_the_nearest(tree: SourceTree) -> None:
    with pytest.raises(DocumentNotFoundError) as caught:
        tree.lookup.find("symbol:open_al")
    assert caught.value.remedy is not None
    assert caught.value.remedy.names[0] == "symbol:files.open_all"


def test_a_source_and_path_come_before_a_symbol(tree: SourceTree) -> None:
    tree.store.replace_document(build_record(RecordSpec(path="open_all", source="symbol")))
    assert tree.address_of("symbol:open_all") == "symbol:open_all"


def test_the_outline_of_a_source_file_is_its_symbols(tree: SourceTree) -> None:
    blocks = code_record("src/files.py", FILES, CodeRole.DEFINITION).document.blocks
    headings = list_headings(blocks, 20)
    assert [(each.level, each.text, each.at) for each in headings[:3]] == [
        (1, "def open_all(paths):", "L1-L2"),
        (1, "def open_one(path):", "L4-L5"),
        (1, "class Handle:", "L8-L9"),
    ]
    assert find_section(headings, (5, 5), 20) == (4, 5)
    assert find_section(headings, (10, 10), 20) == (10, 11)
    assert find_section(headings, (16, 16), 20) == (15, 20)


def test_callers_callees_same_names_and_tests_of_a_definition_are_related(tree: SourceTree) -> None:
    assert tree.related("symbol:files.open_one") == {
        "called_by": ["src/files.py#L1-L2 files.open_all"],
        "calls": ["src/files.py#L8-L9 files.Handle"],
        "same_name": ["src/other.py#L1 other.open_one"],
    }
    assert tree.related("src/files.py#L2") == {
        "called_by": ["src/files.py#L12-L14 files.main"],
        "calls": ["src/files.py#L4-L5 files.open_one"],
        "tested_by": [
            "tests/test_files.py#L1-L2 test_files.test_open_all",
            "tests/test_files.py#L4-L5 test_files.test_open_all_of_nothing",
        ],
    }


def test_a_file_is_related_to_the_tests_of_its_definitions(tree: SourceTree) -> None:
    assert tree.related("src/files.py", limit=1) == {
        "tested_by": ["tests/test_files.py#L1-L2 test_files.test_open_all"]
    }


def test_a_longer_word_and_another_project_are_no_tests_of_a_name(tree: SourceTree) -> None:
    tree.put(
        "tests/test_more.py",
        (("m.test_open_allowed", 1, "def test_open_allowed(): ..."), ("m.testOpenAllTwice", 3, "...")),
        CodeRole.TEST,
    )
    tree.put("tests/b.py", (("b.test_open_all", 1, "def test_open_all(): ..."),), CodeRole.TEST, source="b")
    assert tree.related("src/files.py#L2")["tested_by"] == [
        "tests/test_files.py#L1-L2 test_files.test_open_all",
        "tests/test_files.py#L4-L5 test_files.test_open_all_of_nothing",
        "tests/test_more.py#L3 m.testOpenAllTwice",
    ]


def test_a_note_has_no_relations_of_code(tree: SourceTree) -> None:
    tree.store.replace_document(build_record(RecordSpec(path="notes.md", paragraphs=["open_all()"])))
    assert tree.related("notes.md") == {}
