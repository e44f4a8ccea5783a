"""Symbols of source code: searched by name, first where a query names them, and roles in the order of hits."""

from __future__ import annotations

import pytest
from kebab_core import (
    CodeMedia,
    CodeRole,
    CodeSymbol,
    MediaType,
    SearchFilters,
    SearchMode,
    SearchQuery,
    SearchResponse,
    SearchSettings,
    SymbolKind,
)
from kebab_search import SearchRetriever
from kebab_testing.fakes.analyzer import WordAnalyzer
from kebab_testing.fakes.clock import FixedClock
from kebab_testing.records import RecordSpec, build_record
from kebab_testing.temporary_stores import TemporaryStores

ANALYZER = WordAnalyzer()


class SourceTree:
    """Source files and notes that can be searched."""

    def __init__(self) -> None:
        self.stores = TemporaryStores()
        self.store = self.stores.documents
        self.retriever = SearchRetriever(
            index=self.stores.index,
            documents=self.store,
            analyzer=ANALYZER,
            clock=FixedClock(),
            settings=SearchSettings(),
        )

    def put(self, path: str, symbol: str, text: str, role: CodeRole = CodeRole.DEFINITION) -> None:
        """Store a file that defines one symbol."""
        defined = CodeSymbol(
            symbol=symbol, kind=SymbolKind.FUNCTION, line_start=1, line_end=1, signature=text.split(":")[0]
        )
        self._store(
            path, text, CodeMedia(lang="python"), symbols=[[defined]], roles=[role], code_lang="python"
        )

    def note(self, path: str, text: str) -> None:
        """Store a note."""
        self._store(path, text, RecordSpec().media)

    def _store(self, path: str, text: str, media: MediaType, **fields: object) -> None:
        terms = [ANALYZER.analyze_chunk(title=path, heading_path=(), text=text)]
        spec = RecordSpec(path=path, paragraphs=[text], terms=terms, title=path, media=media, **fields)  # type: ignore[arg-type]
        self.store.replace_document(build_record(spec))

    def search(self, text: str, **fields: object) -> SearchResponse:
        asked = {"text": text, "mode": SearchMode.LEXICAL, **fields}
        return self.retriever.search(SearchQuery.model_validate(asked))

    def symbols(self, text: str, **fields: object) -> list[str | None]:
        return [hit.symbol for hit in self.search(text, by_symbol=True, **fields).hits]


@pytest.fixture
def tree() -> SourceTree:
    tree = SourceTree()
    tree.put("src/core.py", "core.Group.invoke", "def invoke(self, ctx): run the callback")
    tree.put("src/testing.py", "testing.Runner.invoke", "def invoke(self, cli): run in isolation")
    tree.put("src/url.py", "url.make_url", "def make_url(parts): join the parts")
    tree.put("src/url_opener.py", "url.makeURLOpener", "def makeURLOpener(): open")
    tree.put("tests/test_core.py", "test_core.invoke", "def invoke(): call run callback", CodeRole.TEST)
    tree.note("notes.md", "make url invoke invoke invoke invoke group callback run isolation")
    return tree


def test_a_name_finds_definitions_before_tests_then_names_that_begin_so(tree: SourceTree) -> None:
    assert tree.symbols("invoke") == ["core.Group.invoke", "testing.Runner.invoke", "test_core.invoke"]
    assert tree.symbols("make_url") == ["url.make_url", "url.makeURLOpener"]
    assert tree.symbols("url.make") == ["url.make_url", "url.makeURLOpener"]


@pytest.mark.parametrize(
    "name", ["Group.invoke", "group invoke", "Group::invoke()", "GROUP.INVOKE", "core.Group.invoke"]
)
def test_a_qualified_name_finds_only_what_it_names(tree: SourceTree, name: str) -> None:
    assert tree.symbols(name) == ["core.Group.invoke"]


@pytest.mark.parametrize("name", ["makeUrl", "make-url", "make url", "MakeURL"])
def test_a_name_is_found_in_every_style(tree: SourceTree, name: str) -> None:
    assert tree.symbols(name)[0] == "url.make_url"


def test_a_misspelt_name_and_its_letters_find_what_is_like_it(tree: SourceTree) -> None:
    assert tree.symbols("make_ulr")[0] == "url.make_url"
    assert "url.makeURLOpener" in tree.symbols("mkurlop")


def test_where_nothing_is_like_a_name_the_nearest_are_told(tree: SourceTree) -> None:
    found = tree.search("remake", by_symbol=True)
    assert found.hits == ()
    assert [hit.symbol for hit in found.nearest][:1] == ["url.make_url"]
    assert tree.search("zzzz", by_symbol=True).nearest == ()


def test_filters_narrow_symbols_and_an_empty_result_names_the_filter(tree: SourceTree) -> None:
    only = SearchFilters(path_glob=("src/testing.py",))
    assert tree.symbols("invoke", filters=only) == ["testing.Runner.invoke"]
    found = tree.search("invoke", by_symbol=True, filters=SearchFilters(code_lang=("rust",)))
    assert (found.hits, found.filtered_out_by) == ((), ("code_lang",))


def test_pages_of_symbols_together_are_the_result() -> None:
    tree = SourceTree()
    for number in range(25):
        tree.put(f"src/m{number:02}.py", f"m{number:02}.close", f"def close(): file {number}")
    paths: list[str] = []
    cursor: str | None = None
    while True:
        page = tree.search("close", by_symbol=True, k=10, cursor=cursor)
        paths += [hit.doc_path for hit in page.hits]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert paths == [f"src/m{number:02}.py" for number in range(25)]


def test_a_definition_whose_line_is_in_several_passages_is_one_hit(tree: SourceTree) -> None:
    line = CodeSymbol(symbol="min.pack", kind=SymbolKind.FUNCTION, line_start=1, line_end=1)
    parts = ["function pack(a){", "return a", "}"]
    terms = [ANALYZER.analyze_chunk(title="min.js", heading_path=(), text=part) for part in parts]
    spec = RecordSpec(
        path="min.js", paragraphs=parts, terms=terms, media=CodeMedia(lang="javascript"), symbols=[[line]] * 3
    )
    tree.store.replace_document(build_record(spec))
    tree.put("src/pack.py", "pack.pack_all", "def pack_all(): pack")
    assert tree.symbols("pack", k=2) == ["min.pack", "pack.pack_all"]


def test_a_hit_of_code_has_its_symbol_signature_and_role(tree: SourceTree) -> None:
    hit = tree.search("Group.invoke", by_symbol=True).hits[0]
    assert (hit.symbol, hit.signature, hit.role) == (
        "core.Group.invoke",
        "def invoke(self, ctx)",
        CodeRole.DEFINITION,
    )
    assert hit.citation.to_address() == "src/core.py#L1"
    note = next(hit for hit in tree.search("isolation").hits if hit.doc_path == "notes.md")
    assert (note.symbol, note.signature, note.role) == (None, None, None)


@pytest.mark.parametrize("query", ["make_url", "make url", "what does make_url do", "makeUrl()"])
def test_a_query_that_names_a_symbol_has_its_definition_first(tree: SourceTree, query: str) -> None:
    assert tree.search(query).hits[0].symbol == "url.make_url"


def test_a_name_in_backquotes_is_the_name_of_a_symbol(tree: SourceTree) -> None:
    tree.put(
        "src/door.py",
        "door.shutters",
        "def shutters(): pass the keys of every window to each other one by one",
    )
    tree.note("shops.md", "shutters are closed before shutters run at night")
    assert tree.search("when do shutters run").hits[0].doc_path == "shops.md"
    assert tree.search("when do `shutters` run").hits[0].symbol == "door.shutters"


def test_a_misspelt_identifier_has_the_definition_of_the_nearest_first(tree: SourceTree) -> None:
    assert tree.search("make_ulr").hits[0].symbol == "url.make_url"


def test_a_misspelt_identifier_stands_for_no_name_that_is_farther_than_the_nearest(tree: SourceTree) -> None:
    tree.put("src/solving.py", "solving.solve_dependencies", "def solve_dependencies(): all of them")
    tree.put("src/solved.py", "solved.SolvedDependency", "class SolvedDependency: what was found")
    assert [hit.symbol for hit in tree.search("solve_dependancies").hits] == ["solving.solve_dependencies"]


def test_an_identifier_in_a_long_message_does_not_outweigh_the_rest(tree: SourceTree) -> None:
    tree.put(
        "src/errors.py",
        "errors.make_error",
        "def make_error(): raise no route to the host that was asked for",
    )
    message = "make_url: no route to the host that was asked for by anybody before"
    assert tree.search(message).hits[0].symbol == "errors.make_error"


def test_a_definition_is_found_by_name_however_many_passages_use_it() -> None:
    tree = SourceTree()
    for number in range(60):
        tree.put(
            f"src/user{number}.py", f"user{number}.use", f"def use(): open_all open_all open_all {number}"
        )
    tree.put("src/files.py", "files.open_all", "def open_all(paths): " + "for path in paths yield it " * 20)
    assert tree.search("open_all").hits[0].symbol == "files.open_all"


def test_source_comes_before_examples_tests_generated_and_vendored_code() -> None:
    tree = SourceTree()
    for role in reversed(CodeRole):
        tree.put(
            f"{role.value}.py", f"{role.value}.f", f"def f(): parse dates of headers # {role.value}", role
        )
    found = tree.search("parse dates of headers").hits
    assert [hit.role for hit in found] == list(CodeRole)[: len(found)]
    assert len(found) == len(CodeRole)
