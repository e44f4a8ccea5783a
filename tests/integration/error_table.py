"""Which error each command, tool and method of the library ends with, and what brings it about for real."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kebab_app import (
    AnswerChoice,
    App,
    AskRequest,
    Conversations,
    EvaluateOptions,
    IngestOptions,
    LakeMaintenance,
    PageLimits,
    ResetScope,
    list_readings,
    sum_up_readings,
)
from kebab_core import (
    ChunkId,
    DocFilter,
    DocumentId,
    FetchAddress,
    FetchChunk,
    FetchDocument,
    FetchSpan,
    SearchFilters,
    SearchMode,
    SearchQuery,
)

NOWHERE = "0" * 32
QUESTION = "색인은 언제 다시 만들어지나요?"
CONVERSATION = "색인"
WORD = "색인"


@dataclass(frozen=True)
class Operation:
    """One thing that kebab does, wherever it can be asked for.

    Words in braces are places of the knowledge base: `{folder}`, `{doc}`, `{chunk}`, `{trace}`.
    """

    argv: tuple[str, ...] = ()
    """For the command line; empty where there is no such command."""
    stdin: str = "text"
    tool: str = ""
    """The tool of agents; empty where there is none."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    call: Callable[[App, Mapping[str, str]], object] | None = None
    """The same in the library; None where it is no method of `App`."""
    is_bulk: bool = False
    """Whether errors of a query stand beside what others found."""


def search(mode: str | None = None, **more: Any) -> Operation:
    """Return a search for a word."""
    flags = {**({"mode": mode} if mode else {}), **more}
    return Operation(
        argv=("search", WORD, *(f"--{name}={value}" for name, value in flags.items())),
        tool="search",
        arguments={"query": WORD, **flags},
        call=lambda app, _: app.search(_query(flags)),
    )


def bulk(mode: str | None = None, **more: Any) -> Operation:
    """Return many searches in one."""
    flags = {**({"mode": mode} if mode else {}), **more}
    return Operation(
        argv=("search", "--bulk"),
        stdin=json.dumps({"query": WORD, **flags}),
        tool="bulk_search",
        arguments={"queries": [{"query": WORD, **flags}]},
        call=lambda app, _: next(app.bulk_search([_query(flags)])),
        is_bulk=True,
    )


def _query(flags: Mapping[str, Any]) -> SearchQuery:
    return SearchQuery(text=WORD, **{"mode": SearchMode.LEXICAL, **flags})


OPERATIONS: dict[str, Operation] = {
    "demo": Operation(("demo", "--quiet")),
    "init": Operation(("init",)),
    "ingest": Operation(("ingest",), call=lambda app, _: app.ingest()),
    "ocr": Operation(
        ("ocr",), call=lambda app, _: app.ingest(options=IngestOptions(reads_pictures_again=True))
    ),
    "embed": Operation(("embed",), call=lambda app, _: app.embed()),
    "watch": Operation(("watch", "--uninstall")),
    "config set": Operation(("config", "set", "search.rrf_k", "60")),
    "config get": Operation(("config", "get", "search.default_k")),
    "config edit": Operation(("config", "edit")),
    "web of no port": Operation(("web", "--port", "none")),
    "config remove-source": Operation(("config", "remove-source", "more")),
    "ingest-file": Operation(
        ("ingest-file", "{folder}/letter.md"),
        tool="ingest_file",
        arguments={"path": "{folder}/letter.md"},
        call=lambda app, at: app.ingest_file(Path(at["folder"]) / "letter.md"),
    ),
    "ingest-stdin": Operation(
        ("ingest-stdin", "--title", "제목"),
        tool="write_note",
        arguments={"content": "글", "title": "제목"},
        call=lambda app, _: app.ingest_text("글", title="제목"),
    ),
    "search": search(),
    "search by meaning": search("vector"),
    "search --bulk": bulk(),
    "search --bulk by meaning": bulk("vector"),
    "ask": Operation(
        ("ask", QUESTION),
        tool="ask",
        arguments={"question": QUESTION},
        call=lambda app, _: app.ask(AskRequest(question=QUESTION, mode=SearchMode.LEXICAL)),
    ),
    "ask by meaning": Operation(
        ("ask", QUESTION, "--mode", "vector"),
        tool="ask",
        arguments={"question": QUESTION, "mode": "vector"},
        call=lambda app, _: app.ask(AskRequest(question=QUESTION, mode=SearchMode.VECTOR)),
    ),
    "answers list": Operation(("answers", "list"), call=lambda app, _: app.list_answers()),
    "answers show": Operation(
        ("answers", "show", "{trace}"), call=lambda app, at: app.show_answer(at["trace"])
    ),
    "answers delete": Operation(
        ("answers", "delete", "{trace}", "--yes"),
        call=lambda app, at: app.delete_answers(app.find_answers(AnswerChoice(ids=(at["trace"],)))),
    ),
    "answers purge": Operation(
        ("answers", "purge", "--all", "--yes"),
        call=lambda app, _: app.delete_answers(app.find_answers(AnswerChoice())),
    ),
    "sessions list": Operation(("sessions", "list"), call=lambda app, _: Conversations(app.base).list()),
    "sessions show": Operation(
        ("sessions", "show", CONVERSATION), call=lambda app, _: Conversations(app.base).show(CONVERSATION)
    ),
    "chat": Operation(
        ("chat", "--session", CONVERSATION),
        call=lambda app, _: (app.require_writable(), Conversations(app.base).show(CONVERSATION)),
    ),
    "sessions delete": Operation(
        ("sessions", "delete", CONVERSATION, "--yes"),
        call=lambda app, _: Conversations(app.base).delete(CONVERSATION),
    ),
    "forget": Operation(
        ("forget", "{doc}", "--yes"),
        tool="forget_note",
        arguments={"address": "{doc}"},
        call=lambda app, at: app.forget([at["doc"]]),
    ),
    "export": Operation(
        ("export", "{folder}/export.zip"),
        call=lambda app, at: app.export_backup(
            Path(at["folder"]) / "export.zip", replace=False, progress=lambda _step: None
        ),
    ),
    "import": Operation(("import", "{folder}/absent.zip")),
    "fetch chunk": Operation(
        ("fetch", "chunk", "{chunk}"),
        tool="fetch",
        arguments={"kind": "chunk", "chunk_id": "{chunk}"},
        call=lambda app, at: app.fetch(FetchChunk(chunk_id=ChunkId(at["chunk"]))),
    ),
    "fetch doc": Operation(
        ("fetch", "doc", "{doc}"),
        tool="fetch",
        arguments={"kind": "doc", "doc_id": "{doc}"},
        call=lambda app, at: app.fetch(FetchDocument(doc_id=DocumentId(at["doc"]))),
    ),
    "fetch span": Operation(
        ("fetch", "span", "{doc}", "1", "2"),
        tool="fetch",
        arguments={"kind": "span", "doc_id": "{doc}", "line_start": 1, "line_end": 2},
        call=lambda app, at: app.fetch(FetchSpan(doc_id=DocumentId(at["doc"]), line_start=1, line_end=2)),
    ),
    "list docs": Operation(("list", "docs"), call=lambda app, _: app.list_documents(DocFilter())),
    "find": Operation(("find", "색인"), call=lambda app, _: app.find_names("색인")),
    "related": Operation(
        ("related", "{doc}"),
        tool="related",
        arguments={"address": "{doc}"},
        call=lambda app, at: app.find_related(at["doc"]),
    ),
    "list recent": Operation(
        ("list", "recent"),
        tool="list",
        arguments={"by": "recent"},
        call=lambda app, _: app.list_page(SearchFilters(), order="recent", limits=PageLimits()),
    ),
    "list tags": Operation(
        ("list", "tags"), call=lambda app, _: app.count_documents("tags", SearchFilters())
    ),
    "list folders": Operation(("list", "folders")),
    "list sources": Operation(("list", "sources")),
    "inspect doc": Operation(
        ("inspect", "doc", "{doc}"), call=lambda app, at: app.inspect_document(DocumentId(at["doc"]))
    ),
    "inspect chunk": Operation(
        ("inspect", "chunk", "{chunk}"), call=lambda app, at: app.inspect_chunk(ChunkId(at["chunk"]))
    ),
    "inspect ocr-stats": Operation(("inspect", "ocr-stats"), call=lambda app, _: sum_up_readings(app.base)),
    "inspect ocr-failures": Operation(
        ("inspect", "ocr-failures"), call=lambda app, _: list_readings(app.base, failed=True)
    ),
    "why": Operation(
        ("why", "{doc}"), tool="why", arguments={"path": "{doc}"}, call=lambda app, at: app.why(at["doc"])
    ),
    "models list": Operation(("models", "list")),
    "models pull": Operation(("models", "pull", "multilingual-e5-large")),
    "models switch": Operation(("models", "switch", "--back")),
    "models gc": Operation(("models", "gc", "--yes"), call=lambda app, _: app.models.delete_former()),
    "models verify": Operation(("models", "verify"), call=lambda app, _: app.models.verify()),
    "lake verify": Operation(("lake", "verify"), call=lambda app, _: LakeMaintenance(app.base).verify()),
    "lake compact": Operation(("lake", "compact"), call=lambda app, _: LakeMaintenance(app.base).compact()),
    "lake mirror": Operation(("lake", "mirror"), call=lambda app, _: LakeMaintenance(app.base).mirror()),
    "doctor": Operation(("doctor",), tool="doctor", call=lambda app, _: app.doctor()),
    "doctor --repair": Operation(("doctor", "--repair"), call=lambda app, _: app.doctor(repair=True)),
    "schema": Operation(("schema",), call=lambda app, _: app.schema()),
    "mcp install": Operation(("mcp", "install", "cursor", "--file", "{folder}/more/mcp.json")),
    "mcp uninstall": Operation(("mcp", "uninstall", "cursor", "--file", "{folder}/more/mcp.json")),
    "web install": Operation(("web", "install")),
    "web uninstall": Operation(("web", "uninstall")),
    "config show": Operation(("config", "show")),
    "config add-source": Operation(("config", "add-source", "{folder}/more")),
    "config migrate": Operation(("config", "migrate")),
    "eval run": Operation(("eval", "run", "{folder}/suite.yaml")),
    "eval beir": Operation(
        ("eval", "beir", "{folder}/set"),
        call=lambda app, at: app.evaluator.evaluate_set(Path(at["folder"]) / "set", EvaluateOptions()),
    ),
    "eval list": Operation(("eval", "list"), call=lambda app, _: app.evaluator.runs.list(limit=20)),
    "eval show": Operation(("eval", "show", "last"), call=lambda app, _: app.evaluator.runs.show("last")),
    "eval compare": Operation(
        ("eval", "compare", "last", "last"), call=lambda app, _: app.evaluator.compare("last", "last")
    ),
    "reset": Operation(
        ("reset", "--data-only", "--yes"), call=lambda app, _: app.reset(ResetScope.DATA_ONLY)
    ),
    "completion": Operation(("completion", "bash")),
    "unknown cursor": search(cursor="x"),
    "unknown cursor in bulk": bulk(cursor="x"),
    "search for nothing": Operation(
        ("search", "  "),
        tool="search",
        arguments={"query": "  "},
        call=lambda app, _: app.search(SearchQuery(text="  ", mode=SearchMode.LEXICAL)),
    ),
    "ask nothing": Operation(
        ("ask", "?"),
        tool="ask",
        arguments={"question": "?"},
        call=lambda app, _: app.ask(AskRequest(question="?", mode=SearchMode.LEXICAL)),
    ),
    "too many searches": Operation(
        ("search", "--bulk"),
        stdin='{"query": "색인"}\n' * 101,
        tool="bulk_search",
        arguments={"queries": [{"query": WORD}] * 101},
        call=lambda app, _: app.bulk_search([_query({})] * 101),
    ),
    "fetch chunk nowhere": Operation(
        ("fetch", "chunk", NOWHERE),
        tool="fetch",
        arguments={"kind": "chunk", "chunk_id": NOWHERE},
        call=lambda app, _: app.fetch(FetchChunk(chunk_id=ChunkId(NOWHERE))),
    ),
    "fetch address nowhere": Operation(
        ("fetch", "address", NOWHERE),
        tool="fetch",
        arguments={"address": NOWHERE},
        call=lambda app, _: app.fetch(FetchAddress(address=NOWHERE)),
    ),
    "open nowhere": Operation(("open", NOWHERE), call=lambda app, _: app.find_address(NOWHERE)),
    "render nowhere": Operation(("render", NOWHERE), call=lambda app, _: app.find_address(NOWHERE)),
    "fetch doc nowhere": Operation(
        ("fetch", "doc", NOWHERE),
        tool="fetch",
        arguments={"kind": "doc", "doc_id": NOWHERE},
        call=lambda app, _: app.fetch(FetchDocument(doc_id=DocumentId(NOWHERE))),
    ),
    "inspect doc nowhere": Operation(
        ("inspect", "doc", NOWHERE), call=lambda app, _: app.find_address(NOWHERE)
    ),
    "inspect chunk nowhere": Operation(
        ("inspect", "chunk", NOWHERE), call=lambda app, _: app.inspect_chunk(ChunkId(NOWHERE))
    ),
    "why nowhere": Operation(("why", NOWHERE), call=lambda app, _: app.why(NOWHERE)),
    "ingest-file of no document": Operation(
        ("ingest-file", "{folder}/photo.xyz"),
        tool="ingest_file",
        arguments={"path": "{folder}/photo.xyz"},
        call=lambda app, at: app.ingest_file(Path(at["folder"]) / "photo.xyz"),
    ),
    "ingest-file of nothing": Operation(
        ("ingest-file", "{folder}/absent.md"),
        tool="ingest_file",
        arguments={"path": "{folder}/absent.md"},
        call=lambda app, at: app.ingest_file(Path(at["folder"]) / "absent.md"),
    ),
    "ingest-stdin without a title": Operation(
        ("ingest-stdin", "--title", " "),
        tool="write_note",
        arguments={"content": "글", "title": " "},
        call=lambda app, _: app.ingest_text("글", title=" "),
    ),
}
BY_MEANING = ("search by meaning", "search --bulk by meaning", "ask by meaning")
READING = (
    *("search", "search --bulk", "ask", "fetch chunk", "fetch doc", "fetch span"),
    *("find", "related", "list docs", "list recent", "list tags", "list folders", "list sources"),
    *("inspect doc", "inspect chunk", "inspect ocr-stats", "inspect ocr-failures"),
)
ADDING = ("ingest", "ocr", "ingest-file", "ingest-stdin")
HISTORY = (
    "answers list",
    "answers show",
    "sessions list",
    "sessions show",
    "chat",
    "eval list",
    "eval show",
    "eval compare",
)
MEASURING = ("eval run", "eval beir")
ERASING = ("answers delete", "answers purge", "sessions delete", "forget")
WRITING = (
    *(
        "init",
        *ADDING,
        "chat",
        "embed",
        "watch",
        "models pull",
        "models switch",
        "models gc",
        "doctor --repair",
    ),
    *("config set", "config edit", "config remove-source"),
    *(
        *("mcp install", "mcp uninstall", "web install", "web uninstall"),
        "config add-source",
        "config migrate",
        "export",
        "import",
        "reset",
        *ERASING,
    ),
)
CONFIGURED = (
    *(*READING, *ADDING, *HISTORY, *MEASURING, *BY_MEANING, "embed", "watch", "models list", "models pull"),
    *("models switch", "models gc", "models verify"),
    *("config set", "config get", "config remove-source"),
    *("mcp install", "schema", "config show", "config add-source", "export", "reset", "why", *ERASING),
)
READABLE = (
    *(
        *READING,
        *MEASURING,
        "why",
        "answers list",
        "answers show",
        "sessions list",
        "sessions show",
        "eval list",
    ),
    *("models list", "models verify", "doctor", "schema", "config show", "config get", "completion", "demo"),
)
"""What changes nothing, and so works where nothing may be changed."""

FAILURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "settings with a bad value": ("config_invalid", (*CONFIGURED, "init")),
    "no lake": ("config_invalid", ("lake verify", "lake compact", "lake mirror")),
    "settings for another kind of model": ("config_invalid", ("ask",)),
    "no settings": ("config_not_found", (*CONFIGURED, "config migrate", "config edit")),
    "nothing": (
        "invalid_input",
        (
            *("search for nothing", "ask nothing", "web of no port"),
            *(
                "ingest-file of nothing",
                "ingest-stdin without a title",
                "eval show",
                "eval compare",
                "import",
            ),
        ),
    ),
    "one hundred and one": ("too_many_queries", ("too many searches",)),
    "a cursor from nowhere": ("stale_cursor", ("unknown cursor", "unknown cursor in bulk")),
    "a file that is no document": ("unsupported_media", ("ingest-file of no document",)),
    "a document of pages": ("span_not_supported", ("fetch span",)),
    "read-only": ("readonly_mode", WRITING),
    "no index": ("not_indexed", (*READING, "embed", "export")),
    "no vectors": ("not_indexed", BY_MEANING),
    "a chunk that is not there": ("chunk_not_found", ("fetch chunk nowhere", "inspect chunk nowhere")),
    "a document that is not there": (
        "doc_not_found",
        (
            *("fetch doc nowhere", "fetch address nowhere", "open nowhere", "render nowhere"),
            *("inspect doc nowhere", "why nowhere"),
        ),
    ),
    "a model folder that is not there": ("model_missing", (*BY_MEANING, "embed")),
    "data where no folder is": ("io_error", ("init", *ADDING, *MEASURING)),
    "another writer": (
        "locked",
        (*ADDING, "doctor --repair", "reset", "answers delete", "answers purge", "sessions delete"),
    ),
    "vectors of another model": ("index_model_mismatch", BY_MEANING),
    "an index from the future": (
        "schema_too_new",
        (*READING, *ADDING, *HISTORY, *MEASURING, *ERASING, "init", "schema", "export"),
    ),
    "an index of an older schema": (
        "schema_too_old",
        (*READING, *ADDING, *HISTORY, *MEASURING, *ERASING, "init", "schema", "export"),
    ),
    "an index that is damaged": (
        "database_corrupt",
        (*READING, *ADDING, *HISTORY, *MEASURING, "init", "schema", "export"),
    ),
    "an index of something else": (
        "database_corrupt",
        (*READING, *ADDING, *HISTORY, *MEASURING, "init", "schema", "export"),
    ),
    "passages without a place": ("retrieval_error", ("search", "search --bulk", "ask")),
    "an index that refuses rows": ("internal", ADDING),
}
"""What is the matter: the code, and all that ends with it."""

REPORTED = {
    "a model server that is not there": "model_unreachable",
    "a model server without the model": "model_not_pulled",
    "a model server that finds it too long": "context_overflow",
    "a model folder with rubbish": "model_corrupt",
}
"""What happens to vectors while they are made: ends `embed`, and is told in the report of `ingest`. A search by meaning finds no
vectors then."""

NEVER_FAILS = {
    "demo": "has a knowledge base and settings of its own",
    "doctor": "reports what is the matter, with exit code 3, instead of failing of it",
    "completion": "needs nothing",
    "list formats": "needs nothing",
    "pick": "draws on a terminal, of which there is none here (tests of kebab-tui)",
    "tui": "draws on a terminal, of which there is none here (tests of kebab-tui)",
    "worker": "is part of a cluster until it is stopped (tests/integration/test_cluster.py)",
}

TRIED_ELSEWHERE = {
    "ambiguous_address": "two sources must hold the same path (tests of kebab-documents)",
    "timeout": "a model server may take two minutes (tests of kebab-embed-local); so may a hub (the same)",
    "dependency_missing": "all packages are installed here (tests of kebab-embed-local and kebab-analysis)",
    "document_encrypted": "an error of one file of a run (tests of the parsers)",
    "document_damaged": "an error of one file of a run (tests of the parsers)",
    "document_too_large": "an error of one file of a run (tests of the parsers)",
    "stale_revision": "two bases publish to one lake at the same moment (tests of kebab-store-lake)",
    "plugin_conflict": "this version loads no plugins",
}
"""Codes that nothing here can bring about, and why."""
