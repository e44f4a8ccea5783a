"""Laws of `LexicalIndex`: symbols by name, by the beginning of one, and what removing documents leaves."""

from __future__ import annotations

import pytest
from kebab_core import CodeMedia, CodeRole, CodeSymbol, DocumentStore, LexicalIndex, SymbolKind

from kebab_testing.records import RecordSpec, build_record

StoreAndSymbols = tuple[DocumentStore, LexicalIndex]


def code_record(path: str, *symbols: str, role: CodeRole = CodeRole.DEFINITION) -> RecordSpec:
    """Return the spec of a source file with a chunk for each symbol."""
    return RecordSpec(
        path=path,
        paragraphs=[f"def {symbol}" for symbol in symbols],
        media=CodeMedia(lang="python"),
        code_lang="python",
        symbols=[
            [CodeSymbol(symbol=symbol, kind=SymbolKind.FUNCTION, line_start=at, line_end=at)]
            for at, symbol in enumerate(symbols, 1)
        ],
        roles=[role] * len(symbols),
    )


class SymbolIndexLaws:
    """Subclass it and override the `symbols` fixture with an empty store and the index of its symbols."""

    @pytest.fixture
    def symbols(self) -> StoreAndSymbols:
        """Give an empty store and the symbols of what is put into it."""
        raise NotImplementedError

    def test_an_empty_index_has_no_symbol(self, symbols: StoreAndSymbols) -> None:
        _, index = symbols
        assert index.find_symbols(["close"]) == index.find_symbols_beginning("c", limit=5) == []
        assert index.list_symbol_names() == []

    def test_a_symbol_is_found_by_its_last_part_in_any_case_and_style(self, symbols: StoreAndSymbols) -> None:
        store, index = symbols
        store.replace_document(build_record(code_record("b.py", "pkg.makeURL", "pkg.(*T).make_url")))
        store.replace_document(build_record(code_record("a.py", "ns::Make::_make_URL", "make_urls")))
        found = [each.symbol for each in index.find_symbols(["makeurl"])]
        assert found == ["ns::Make::_make_URL", "pkg.makeURL", "pkg.(*T).make_url"]
        assert index.list_symbol_names() == ["makeurl", "makeurls"]

    def test_the_beginning_of_a_name_finds_the_first_ones_by_name(self, symbols: StoreAndSymbols) -> None:
        store, index = symbols
        store.replace_document(build_record(code_record("a.py", "read_lines", "Reader", "write", "read")))
        found = [each.symbol for each in index.find_symbols_beginning("read", limit=2)]
        assert found == ["read", "Reader"]

    def test_only_symbols_of_the_given_documents_are_found(self, symbols: StoreAndSymbols) -> None:
        store, index = symbols
        records = [build_record(code_record(path, "run")) for path in ("a.py", "b.py")]
        for record in records:
            store.replace_document(record)
        one = frozenset({records[1].document.doc_id})
        assert len(index.find_symbols(["run"])) == 2
        assert [each.chunk_id for each in index.find_symbols(["run"], documents=one)] == [
            records[1].chunks[0].chunk_id
        ]
        assert index.find_symbols_beginning("r", limit=5, documents=frozenset()) == []

    def test_symbols_go_with_their_document(self, symbols: StoreAndSymbols) -> None:
        store, index = symbols
        record = build_record(code_record("a.py", "first", "second", role=CodeRole.TEST))
        store.replace_document(record)
        assert index.find_symbols(["second"])[0].role is CodeRole.TEST
        store.replace_document(build_record(code_record("a.py", "third")))
        assert index.list_symbol_names() == ["third"]
        store.remove_documents([build_record(code_record("a.py", "third")).document.doc_id])
        assert index.list_symbol_names() == []
