"""Whatever is printed under `--json` is a wire object: every line of both streams, of every command."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from kebab_wire import parse_wire
from referencing import Registry, Resource

SCHEMAS = Path(__file__).parents[2] / "wire-schema" / "v1"
NOWHERE = "0" * 32

RUNS: dict[str, tuple[list[str], int]] = {
    "demo": (["demo"], 0),
    "init": (["init"], 0),
    "ingest": (["ingest"], 0),
    "ingest summary": (["ingest", "--summary-only"], 0),
    "ingest without vectors": (["ingest", "--no-embed"], 0),
    "watch install": (["watch", "--install"], 0),
    "watch uninstall": (["watch", "--uninstall"], 0),
    "watch readonly": (["watch", "--readonly"], 2),
    "ingest outside": (["ingest", "/"], 2),
    "embed without a model": (["embed"], 2),
    "ingest-file inside": (["ingest-file", "{folder}/notes/english/deployment.md"], 0),
    "ingest-file outside": (["ingest-file", "{folder}/letter.txt", "{folder}/letter.txt"], 0),
    "ingest-file unsupported": (["ingest-file", "{folder}/photo.xyz"], 2),
    "ingest-file absent": (["ingest-file", "{folder}/absent.md"], 2),
    "ingest-stdin": (["ingest-stdin", "--title", "제목", "--source-uri", "https://example.test/"], 0),
    "ingest-stdin untitled": (["ingest-stdin"], 2),
    "ingest-stdin readonly": (["ingest-stdin", "--title", "제목", "--readonly"], 2),
    "search ko": (["search", "색인은 언제 다시 만들어지나요?"], 0),
    "search en": (["search", "how long does a rollback take"], 0),
    "search brief": (["search", "청크", "--brief", "--max-tokens", "200"], 0),
    "search brief filtered out": (["search", "색인", "--brief", "--tag", "색인들"], 1),
    "search explain": (["search", "청크", "--explain"], 0),
    "search trace": (["search", "청크", "--trace", "--max-tokens", "300"], 0),
    "search stale cursor": (["search", "청크", "--cursor", "x"], 2),
    "search none": (["search", "파스타 삶는 법"], 1),
    "search filtered out": (["search", "색인", "--tag", "없는태그"], 1),
    "search empty": (["search", "  "], 2),
    "search vector": (["search", "색인", "--mode", "vector"], 2),
    "search hybrid": (["search", "색인", "--mode", "hybrid"], 0),
    "search bulk not json": (["search", "--bulk"], 2),
    "search bad flag": (["search", "색인", "--k", "0"], 2),
    "search bad filter": (["search", "색인", "--media", "video"], 2),
    "ask ko": (["ask", "색인은 언제 다시 만들어지나요?"], 0),
    "ask en": (["ask", "how long does rolling back take?", "--hide-citations"], 0),
    "ask explain": (["ask", "청크는 어디에서 나누나요?", "--explain"], 0),
    "ask stream": (["ask", "청크는 어디에서 나누나요?", "--stream"], 0),
    "ask stream refused": (["ask", "파스타 삶는 법", "--stream", "--explain"], 1),
    "ask refused": (["ask", "파스타 삶는 법"], 1),
    "ask readonly": (["ask", "청크는 어디에서 나누나요?", "--readonly"], 0),
    "ask empty": (["ask", " "], 2),
    "ask multi-hop": (["ask", "청크", "--multi-hop"], 2),
    "chat": (["chat"], 0),
    "sessions list": (["sessions", "list"], 0),
    "sessions show": (["sessions", "show", "색인"], 2),
    "sessions delete": (["sessions", "delete", "색인", "--yes"], 2),
    "answers list": (["answers", "list"], 0),
    "answers show": (["answers", "show", "ret_0"], 2),
    "answers delete unknown": (["answers", "delete", "ret_zzz", "--yes"], 2),
    "answers purge": (["answers", "purge", "--quoting", "english/deployment.md", "--yes"], 0),
    "answers purge unsaid": (["answers", "purge"], 2),
    "forget": (["forget", "{folder}/notes/english/deployment.md", "--yes"], 2),
    "forget unknown": (["forget", "없음.md", "--yes"], 2),
    "fetch doc": (["fetch", "doc", "{doc}"], 0),
    "fetch doc cut": (["fetch", "doc", "{doc}", "--max-tokens", "5"], 0),
    "fetch span": (["fetch", "span", "{doc}", "1", "3"], 0),
    "fetch span reversed": (["fetch", "span", "{doc}", "3", "1"], 2),
    "fetch chunk": (["fetch", "chunk", "{chunk}", "--context", "1"], 0),
    "fetch chunk unknown": (["fetch", "chunk", NOWHERE], 2),
    "fetch chunk not an id": (["fetch", "chunk", "abc"], 2),
    "fetch address": (["fetch", "address", "english/deployment.md#L3"], 0),
    "fetch without the word address": (["fetch", "english/deployment.md", "--outline"], 0),
    "fetch lines that are not there": (["fetch", "english/deployment.md#L300"], 2),
    "fetch a hit without a terminal": (["fetch", "@1"], 2),
    "open": (["open", "english/deployment.md#L3"], 0),
    "open what is not there": (["open", "nothing.md"], 2),
    "render what has no pages": (["render", "english/deployment.md#L3"], 2),
    "search exactly": (["search", "--exact", "deploy"], 0),
    "search exactly for nothing": (["search", "--exact", "=>"], 1),
    "find": (["find", "deploy"], 0),
    "find nothing": (["find", "zzzzqqqq"], 1),
    "related": (["related", "{doc}"], 0),
    "related to nothing": (["related", "nothing.md"], 2),
    "list recent": (["list", "recent", "--limit", "1"], 0),
    "list formats": (["list", "formats"], 0),
    "list tags": (["list", "tags"], 0),
    "list folders": (["list", "folders"], 0),
    "list sources": (["list", "sources"], 0),
    "fetch doc unknown": (["fetch", "doc", NOWHERE], 2),
    "list docs": (["list", "docs"], 0),
    "inspect doc": (["inspect", "doc", "{doc}"], 0),
    "inspect chunk": (["inspect", "chunk", "{chunk}"], 0),
    "ocr": (["ocr", "--no-embed"], 0),
    "inspect ocr-stats": (["inspect", "ocr-stats"], 0),
    "inspect ocr-failures": (["inspect", "ocr-failures", "--doc", "{doc}"], 0),
    "models list": (["models", "list"], 0),
    "models switch unknown": (["models", "switch", NOWHERE, "--yes"], 2),
    "models gc": (["models", "gc", "--yes"], 0),
    "models verify": (["models", "verify"], 0),
    "lake verify": (["lake", "verify"], 2),
    "lake compact": (["lake", "compact"], 2),
    "lake mirror": (["lake", "mirror"], 2),
    "worker": (["worker", "--join", "127.0.0.1:1"], 2),
    "models pull unknown": (["models", "pull", NOWHERE], 2),
    "why": (["why", "한국어/색인.md"], 0),
    "why found": (["why", "{doc}", "--query", "색인", "--mode", "hybrid", "--lang", "ko"], 0),
    "why not found": (["why", "english/deployment.md", "--query", "색인", "--lang", "ko"], 1),
    "why outside": (["why", "{folder}/letter.txt"], 1),
    "why folder": (["why", "한국어"], 2),
    "why absent": (["why", "없는 파일.md"], 2),
    "why unknown": (["why", NOWHERE], 2),
    "why without a query": (["why", "한국어/색인.md", "--lang", "ko"], 2),
    "why empty": (["why", "한국어/색인.md", "--query", " "], 2),
    "doctor": (["doctor"], 0),
    "web": (["web", "--no-open"], 2),
    "tui": (["tui"], 2),
    "pick": (["pick"], 2),
    "web install": (["web", "install"], 0),
    "web uninstall": (["web", "uninstall"], 0),
    "schema": (["schema"], 0),
    "mcp install hosts": (["mcp", "install"], 0),
    "mcp install toml": (["mcp", "install", "codex", "--file", "{folder}/more/mcp.toml"], 0),
    "mcp install yaml": (["mcp", "install", "goose", "--file", "{folder}/more/mcp.yaml", "--dry-run"], 0),
    "mcp install": (["mcp", "install", "cursor", "--file", "{folder}/more/mcp.json"], 0),
    "mcp install dry": (["mcp", "install", "vscode", "--file", "{folder}/more/mcp.json", "--dry-run"], 0),
    "mcp uninstall": (["mcp", "uninstall", "cursor", "--file", "{folder}/more/mcp.json"], 0),
    "mcp install broken": (["mcp", "install", "cursor", "--file", "{folder}/photo.xyz"], 2),
    "mcp install unknown": (["mcp", "install", "notepad"], 2),
    "eval beir": (["eval", "beir", "{folder}/set"], 0),
    "eval beir nowhere": (["eval", "beir", "{folder}/absent"], 2),
    "eval beir answers": (["eval", "beir", "{folder}/set", "--answers"], 0),
    "eval run": (["eval", "run", "{folder}/suite.yaml"], 0),
    "eval run nowhere": (["eval", "run", "{folder}/absent.yaml"], 2),
    "eval list": (["eval", "list"], 0),
    "eval show": (["eval", "show", "last"], 2),
    "eval compare": (["eval", "compare", "last", "last"], 2),
    "config show": (["config", "show"], 0),
    "config add-source": (["config", "add-source", "{folder}/more"], 0),
    "config set": (["config", "set", "search.default_k", "7"], 0),
    "config set unknown": (["config", "set", "search.nothing", "7"], 2),
    "config set wrong": (["config", "set", "search.default_k", "seven"], 2),
    "config get": (["config", "get", "search.default_k"], 0),
    "config get unknown": (["config", "get", "nothing"], 2),
    "config edit": (["config", "edit"], 2),
    "config remove-source": (["config", "remove-source", "absent"], 2),
    "config migrate": (["config", "migrate", "--dry-run"], 0),
    "export": (["export", "{folder}/b.zip"], 0),
    "export exists": (["export", "{folder}/photo.xyz"], 2),
    "export nowhere": (["export", "{folder}/absent/b.zip"], 2),
    "import": (["import", "{backup}", "--replace"], 0),
    "import exists": (["import", "{backup}"], 2),
    "import damaged": (["import", "{folder}/photo.xyz"], 2),
    "import absent": (["import", "{folder}/absent.zip"], 2),
    "reset unasked": (["reset"], 2),
    "reset orphans": (["reset", "--orphans-only", "--yes"], 0),
    "reset data": (["reset", "--data-only", "--yes"], 0),
    "completion": (["completion", "bash"], 0),
    "completion unknown": (["completion", "tcsh"], 2),
    "version": (["--version"], 0),
    "version of a command": (["search", "--version"], 0),
    "unknown command": (["frobnicate"], 2),
    "readonly": (["ingest", "--readonly"], 2),
}


def write_judged_set(folder: Path) -> None:
    folder.mkdir()
    for name, text in (
        ("corpus.jsonl", '{"_id": "d", "title": "제목", "text": "본문"}'),
        ("queries.jsonl", '{"_id": "q", "text": "본문은?"}'),
        ("qrels.tsv", "q\td\t1"),
        ("answers.jsonl", '{"_id": "q", "answers": ["본문"]}'),
        ("../suite.yaml", 'queries: [{id: q, query: "색인은?", expected_doc_ids: ["한국어/색인.md"]}]'),
    ):
        (folder / name).write_text(text, encoding="utf-8")


@cache
def schemas() -> dict[str, dict[str, Any]]:
    return {path.name: json.loads(path.read_text(encoding="utf-8")) for path in SCHEMAS.glob("*.schema.json")}


@cache
def validator(version: str) -> Draft202012Validator:
    files = schemas()
    resources = [(schema.get("$id", name), Resource.from_contents(schema)) for name, schema in files.items()]
    name = f"{re.sub(r'[.]v1$', '', version)}.schema.json"
    return Draft202012Validator(files[name], registry=Registry().with_resources(resources))


def check(line: str) -> str:
    value = json.loads(line)
    validator(value["schema_version"]).validate(value)
    parse_wire(line)
    version: str = value["schema_version"]
    return version


@pytest.mark.parametrize("name", sorted(RUNS))
def test_every_line_validates_on(name: str, quick, places, backup, *, words_only) -> None:  # type: ignore[no-untyped-def]
    (quick.folder / "more").mkdir()
    (quick.folder / "letter.txt").write_text("편지", encoding="utf-8")
    (quick.folder / "photo.xyz").write_bytes(bytes(range(256)))
    write_judged_set(quick.folder / "set")
    arguments, code = RUNS[name]
    with words_only(name):
        done = quick(
            *(part.format(**places, folder=quick.folder, backup=backup) for part in arguments),
            "--json",
            stdin="본문",
        )
    assert done.code == code, (done.stdout, done.stderr)
    printed = [check(line) for line in done.stdout.splitlines()]
    errors = [check(line) for line in done.stderr.splitlines()]
    assert errors == (["error.v1"] if code == 2 else [])
    assert bool(printed) == (code != 2)


def test_every_line_of_many_searches_validates(quick) -> None:  # type: ignore[no-untyped-def]
    lines = [
        '{"query": "색인", "trace": true}',
        '{"query": "파스타 삶는 법"}',
        '{"query": "색인", "k": 0}',
        "{}",
    ]
    assert [validator("bulk_search_input.v1").is_valid(json.loads(line)) for line in lines] == [
        True,
        True,
        False,
        False,
    ]
    done = quick("search", "--bulk", "--json", stdin="\n".join(lines))
    assert [check(line) for line in done.stdout.splitlines()] == ["bulk_search_item.v1"] * 4
    assert [check(line) for line in done.stderr.splitlines()] == ["bulk_search_summary.v1"]


def test_every_command_is_run(leaf_commands) -> None:  # type: ignore[no-untyped-def]
    run = {" ".join(arguments[:length]) for arguments, _ in RUNS.values() for length in (1, 2)}
    assert leaf_commands <= run


def test_an_unhealthy_doctor_validates(quick) -> None:  # type: ignore[no-untyped-def]
    (quick.data / "kebab.sqlite").write_bytes(b"no database" * 1000)
    done = quick("doctor", "--json")
    assert (done.code, done.last["ok"], done.stderr) == (3, False, "")
    assert [check(line) for line in done.stdout.splitlines()] == ["doctor.v1"]


def test_every_object_about_evaluations_validates(quick) -> None:  # type: ignore[no-untyped-def]
    write_judged_set(quick.folder / "set")
    beir = ["eval", "beir", str(quick.folder / "set"), "--json"]
    runs = [
        quick(*beir),
        quick(*beir, "--compare", "last"),
        quick("eval", "compare", "last", "last", "--json"),
    ]
    runs += [quick("eval", "list", "--json"), quick("eval", "show", "last", "--json")]
    assert [check(line) for done in runs for line in done.stdout.splitlines()] == [
        "eval_run.v1",
        "eval_run.v1",
        "eval_compare.v1",
        "eval_run_list.v1",
        "eval_run.v1",
    ]


def test_ingest_ends_with_one_terminal_event_and_the_report(kb) -> None:  # type: ignore[no-untyped-def]
    done = kb("ingest", "--json")
    kinds = [value.get("kind", value["schema_version"]) for value in done.objects]
    assert kinds[0] == "scan_started"
    assert kinds[-2:] == ["completed", "ingest_report.v1"]
    assert kinds.count("completed") + kinds.count("aborted") == 1
    assert kinds.index("scan_completed") < kinds.index("asset_started") < kinds.index("asset_finished")
