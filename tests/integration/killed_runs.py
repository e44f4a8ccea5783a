"""A knowledge base whose run of ingest is killed, and what has to be true of it then and after the next run."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kebab_app import App
from kebab_config import LoadedSettings, load_settings, read_environment
from kebab_core import NotIndexedError, SearchQuery

from tests.command_server import CODE, ForkedProcess, find_command_server
from tests.integration.kill_points import Case, KillPoint, Victim, When

ROOT = Path(__file__).parents[2]
RUN = "from tests.integration.kill_driver import run; run()"
_PATIENCE_S = 60
_MANY = 40
_TABLES = {
    "documents": "SELECT doc_id, asset_id, source_id, title, lang, fingerprint, media_json, "
    "json_remove(metadata_json, '$.created_at', '$.updated_at') FROM documents",
    "tags": "SELECT doc_id, tag FROM document_tags",
    "parts": "SELECT doc_id, part_no - (SELECT min(part_no) FROM document_parts m WHERE m.doc_no = p.doc_no), "
    "chunks, terms, blocks FROM document_parts p JOIN documents USING (doc_no)",
    "chunks": "SELECT doc_id, ordinal, chunk_id, t.title, heading, body, surface "
    "FROM chunks JOIN documents d USING (doc_no) LEFT JOIN chunk_terms t USING (chunk_no)",
}
"""Everything of a document but times, places and versions; each row begins with the document's id."""

Document = Mapping[str, list[tuple[object, ...]]]


def _note(title: str, body: str, *, tag: str = "tag") -> bytes:
    sections = "".join(
        f"## {title} {number}\n\n{body} {number}. 색인은 다시 만들어진다.\n\n" for number in range(6)
    )
    return f"---\ntags: [{tag}, {title}]\n---\n# {title}\n\n{sections}".encode()


OLD: dict[str, bytes] = {
    "bad.md": _note("bad", "parsed so far"),
    "edited.md": _note("edited", "the old text", tag="old"),
    "gone-1.md": _note("gone", "leaves the index"),
    "gone-2.md": _note("gone too", "leaves the index too"),
    "kept.md": _note("kept", "never changes"),
    "old name.md": _note("moved", "goes elsewhere"),
    "touched.md": _note("touched", "has a new time only"),
    "turned.md": _note("turned", "becomes binary"),
    "twin-1.md": _note("twin", "there are two of it"),
    "한국어/노트.md": _note("노트", "예전 글"),
}
_GONE = {"gone-1.md", "gone-2.md", "old name.md"}
NEW: dict[str, bytes] = {
    **{path: content for path, content in OLD.items() if path not in _GONE},
    "bad.md": _note("bad", "FAILS in the run that dies"),
    "edited.md": _note("edited", "the new text", tag="new") * 3,
    "new name.md": OLD["old name.md"],
    "new.md": _note("new", "was not there"),
    "turned.md": b"\0\1\2" * 200,
    "twin-2.md": OLD["twin-1.md"],
    "한국어/노트.md": _note("노트", "새로운 글"),
}
_MANY_NEW = {f"many/{n:02}.md": _note(f"file {n}", "one of many") for n in range(_MANY)}
_LONG_NEW = {
    "long.txt": b"".join(
        b"Paragraph %d of a long text.\n%s\n\n" % (n, b"It goes on. " * 60) for n in range(2900)
    )
}
_ALSO_NEW = {Case.MANY: _MANY_NEW, Case.LONG: _LONG_NEW}


@dataclass
class KilledBase:
    """One knowledge base in a folder of its own."""

    home: Path
    vector_index: str = "auto"
    more: str = ""
    """Further settings."""
    writes: int = 0

    @property
    def notes(self) -> Path:
        return self.home / "notes"

    def write(self, files: Mapping[str, bytes]) -> None:
        """Make the folder hold these files and no others; only those that changed get a new time."""
        self.notes.mkdir(exist_ok=True)
        for path in [path for path in self.notes.rglob("*") if path.is_file()]:
            if path.relative_to(self.notes).as_posix() not in files:
                path.unlink()
        for name, content in files.items():
            path = self.notes / name
            if not path.exists() or path.read_bytes() != content or name == "touched.md":
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(content)
                self.writes += 1
                os.utime(path, ns=(stamp := 1_700_000_000_000_000_000 + self.writes * 10**9, stamp))

    def load(self, data: str = "data") -> LoadedSettings:
        config = self.home / f"{data}.toml"
        config.write_text(
            f'[workspace]\nroot = "notes"\n[storage]\ndata_dir = "{data}"\n'
            f'vector_index = "{self.vector_index}"\ncache_mb = 0\n[ingest]\nworkers = 1\n'  # no unused vector is kept
            f'{self.more}[models.embedding]\nprovider = "none"\n'
        )
        return load_settings(config_path=config, environ={"HOME": str(self.home)})

    def ingest(self, data: str = "data") -> None:
        with App(self.load(data)) as app:
            app.ingest()

    def kill(self, point: KillPoint, data: str = "data") -> int:
        """Run ingest until the point; return its exit status once no process of it is left."""
        self.load(data)
        reading, writing = os.pipe()
        environ = read_environment()
        address = find_command_server(environ).address
        arguments = [str(self.home / f"{data}.toml"), str(self.home), point.name, address]
        try:
            with ForkedProcess(
                address, (CODE, RUN, *arguments), environ=environ, cwd=ROOT, text=True, more=[writing]
            ) as run:
                os.close(writing)
                _, said = run.communicate(_PATIENCE_S)
            ended, _, _ = select.select([reading], [], [], _PATIENCE_S)
            assert ended, "a process that prepares files outlived the run"
        finally:
            os.close(reading)
        if run.wait() > 0:
            raise RuntimeError(said)
        return run.wait()


def dump_documents(app: App) -> dict[str, Document]:
    """Everything stored of each document by its path, as one reader sees it in one moment."""
    with app.base.open_for_reading().snapshot() as connection:
        paths = dict(connection.execute("SELECT doc_id, workspace_path FROM documents").fetchall())
        found: dict[str, dict[str, list[tuple[object, ...]]]] = {
            path: {table: [] for table in _TABLES} for path in paths.values()
        }
        for table, query in _TABLES.items():
            for row in connection.execute(f"{query} ORDER BY 1, 2"):
                found[paths[row[0]]][table].append(tuple(row))
    return dict(found)


def dump_all(app: App) -> dict[str, object]:
    """Everything that two indexes over the same files have to agree on."""
    database = app.base.open_for_reading()
    with database.snapshot() as connection:
        terms = [
            tuple(row) for row in connection.execute("SELECT term, doc, cnt FROM chunks_vocab ORDER BY term")
        ]
        assets = connection.execute(
            "SELECT asset_id, byte_len, checksum, storage_kind FROM assets ORDER BY 1"
        ).fetchall()
        numbers = connection.execute("SELECT count(*) FROM chunk_terms").fetchone()[0]
    some_terms = [str(term) for term, _, _ in terms][::7]
    folder = app.base.data_dir / "assets"
    return {
        "documents": dump_documents(app),
        "terms": terms,
        "frequencies": dict(app.base.index.terms.document_frequencies(some_terms)),
        "corpus_size": (app.base.index.terms.corpus_size(), numbers),
        "assets": [tuple(row) for row in assets],
        "files": {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        },
        "failures": app.base.index.source_files.list_failures(),
        "scans": [
            (scan.source_id, scan.files, scan.documents_held)
            for scan in app.base.index.source_files.list_scans()
        ],
    }


_FRESH: dict[Case, tuple[dict[str, object], dict[str, Document]]] = {}
"""What a new index over the new files of each case has."""


def is_reached(point: KillPoint, status: int) -> bool:
    """Whether a run ended as it does when it comes to the point."""
    if point.victim is Victim.WORKER:
        return status == 0
    return status == -(signal.SIGALRM if point.when is When.DURING else signal.SIGKILL)


def find_faults(home: Path, point: KillPoint) -> list[str]:
    """Kill a run at a point and let the next one mend it; return what was not as promised, which is nothing."""
    base = KilledBase(home)
    old: dict[str, Document] = {}
    if point.case is not Case.FIRST:
        base.write(OLD)
        base.ingest()
        with App(base.load()) as app:
            old = dump_documents(app)
    base.write({**NEW, **_ALSO_NEW.get(point.case, {})})
    if point.case not in _FRESH:
        base.ingest("fresh")
        with App(base.load("fresh")) as app:
            _FRESH[point.case] = (dump_all(app), dump_documents(app))
    expected, new = _FRESH[point.case]
    status = base.kill(point)
    faults = [] if is_reached(point, status) else [f"the run ended with {status} instead of dying there"]
    faults += _faults_for_readers(base, old, new)
    base.ingest()
    with App(base.load()) as app:
        found = dump_all(app)
        faults += [
            f"{name} are not those of a new index" for name in expected if found[name] != expected[name]
        ]
        faults += [f"doctor: {c.name}: {c.detail}" for c in app.doctor().checks if not c.ok]
    return faults


def _faults_for_readers(
    base: KilledBase, old: Mapping[str, Document], new: Mapping[str, Document]
) -> list[str]:
    """What a reader, and then one that may write, find wrong before the next run."""
    try:
        with App(base.load(), readonly=True) as app:
            seen = dump_documents(app)
            app.search(SearchQuery(text="색인", k=5))
    except NotIndexedError:
        return [] if not old else ["the index is gone"]
    faults = [
        f"{path} is a mixture"
        for path, content in seen.items()
        if content not in (old.get(path), new.get(path))
    ]
    faults += [f"{path} is gone" for path in old if path in new and path not in seen]
    with App(base.load()) as app:
        checks = {check.name: check for check in app.doctor().checks}
    return faults + [
        f"doctor before the next run: {name}: {checks[name].detail}"
        for name in ("sqlite_open", "sqlite_integrity", "lexical_index")
        if not checks[name].ok
    ]
