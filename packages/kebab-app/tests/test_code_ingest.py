"""Source code through a whole run: by its language's recipe, as text where that fails, or left out and told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from kebab_core import CodeRole, ProvenanceKind, SearchQuery, SkipReason

if TYPE_CHECKING:
    from kebab_core import CanonicalDocument

    from conftest import Base

DEEP = "[" * 3_000
WEB = "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n"
READ = {
    "bomb.yaml": "a0: &a0 [gazebo]\n"
    + "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)),
    "cycle.yaml": "gazebo: &x\n  again: *x\n",
    "deep.yaml": f"{WEB}gazebo: {DEEP}\n",
    "deep.json": f'{{"gazebo": {DEEP}\n}}\n',
    "deep.py": "x = " + "(" * 3_000 + "\n\ndef gazebo():\n    return 1\n",
    "broken.py": "def f(:\n  x = ((((\n\nclass A:\n  def gazebo(self): return 1\n",
    "korean.py": "# 정자를 짓는 함수\ndef gazebo():\n    return '나무'\n".encode("cp949"),
    "utf16.sh": "#!/bin/sh\n# gazebo\n".encode("utf-16"),
    "ends.py": b"import os\r\n\r\n\r\ndef gazebo():\r\n    pass\r\n",
    "Makefile": "all: gazebo\n\ngazebo:\n\tmake it\n",
    "service.yaml": WEB + "gazebo: 1\n",
    "vendor/lib.rb": "def gazebo\nend\n",
}
LEFT_OUT = {
    "app.js": (b"a=1;" * 20_000, SkipReason.GENERATED),
    "app.min.js": (b"a=1", SkipReason.GENERATED),
    "package-lock.json": (b"{}", SkipReason.GENERATED),
    "Cargo.lock": (b"a = 1", SkipReason.GENERATED),
    "large.js": (b"a=1;" * 1_250_000, SkipReason.SIZE_EXCEEDED),
    "long.py": (b"a=1\n" * 100_000, SkipReason.SIZE_EXCEEDED),
    "Dockerfile": (b"\x7fELF\x02\x01\0\0\0", SkipReason.BINARY_CONTENT),
    "picture.py": (b"\x89PNG\r\n\x1a\n" + b"x" * 99, SkipReason.BINARY_CONTENT),
}


def read(base: Base, path: str) -> CanonicalDocument:
    document = base.app.base.index.documents.get_document(base.documents()[path].doc_id)
    assert document is not None
    return document


def labels(base: Base, path: str) -> tuple[str, str]:
    document = read(base, path)
    (first, *_) = base.app.base.index.documents.list_chunks(document.doc_id)
    return document.parser_version, first.chunker_version


def test_files_that_nobody_should_write_are_read_or_told_and_the_next_run_leaves_them_alone(
    base: Base,
) -> None:
    for path, text in READ.items():
        base.write(path, text)
    for path, (content, _) in LEFT_OUT.items():
        base.write(path, content)
    report = base.ingest().report
    assert base.paths() == sorted(READ)
    assert report.counts.errors == 0
    reasons = [reason for _, reason in LEFT_OUT.values()]
    assert report.skipped_by_reason == {reason: reasons.count(reason) for reason in reasons}
    hits = base.app.search(SearchQuery(text="gazebo", k=50)).hits
    assert {str(hit.doc_path) for hit in hits} == set(READ)
    assert base.ingest().counts == {
        "scanned": len(READ) + len(LEFT_OUT),
        "unchanged": len(READ),
        "skipped": len(LEFT_OUT),
    }

    assert labels(base, "service.yaml") == ("none-v2", "k8s-manifest-resource-v1")
    assert labels(base, "cycle.yaml") == ("none-v2", "code-text-paragraph-v1")
    assert read(base, "cycle.yaml").provenance.warnings == ()
    (hit,) = (hit for hit in hits if hit.doc_path == "ends.py")
    assert hit.citation.to_uri().endswith("#L4-L5&symbol=ends.gazebo&lang=python")
    (warning,) = read(base, "korean.py").provenance.warnings
    assert "CP949" in str(warning).upper()


def test_a_file_without_its_grammar_is_read_as_text_with_one_warning(
    base: Base, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kebab_parse_code import definitions

    definitions._language.cache_clear()
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    base.write("a.py", "import os\n\ndef gazebo():\n    return 1\n")
    assert base.run_with().counts == {"scanned": 1, "new": 1}
    assert labels(base, "a.py") == ("none-v2", "code-text-paragraph-v1")
    events = read(base, "a.py").provenance.events
    (told,) = [event for event in events if event.kind is ProvenanceKind.WARNING]
    assert str(told.note).startswith("read as plain text: source code cannot be parsed")
    (hit,) = base.app.search(SearchQuery(text="gazebo")).hits
    assert hit.citation.to_uri().endswith("#L3-L4&lang=python")
    assert base.run_with().counts == {"scanned": 1, "unchanged": 1}
    explained = base.app.why("a.py")
    details = [str(step.detail) for step in explained.steps]
    assert "read by none-v2, cut by code-text-paragraph-v1" in details


def test_left_out_files_are_explained_and_read_where_that_is_asked_for(base: Base) -> None:
    path = base.write("package-lock.json", '{"name": "gazebo"}')
    explained = base.app.why(path)
    assert explained.rule is not None
    assert explained.rule.name == "ingest.code.skip_generated"
    base.configure("ingest.code", skip_generated=False)
    base.ingest()
    assert labels(base, "package-lock.json") == ("none-v2", "manifest-file-v1")


def test_generated_code_has_its_role_and_leaves_the_index_once_it_is_left_out_again(base: Base) -> None:
    base.write("a.pb.go", "// Code generated by protoc. DO NOT EDIT.\npackage p\n\nfunc Gazebo() {}\n")
    base.write("b.go", "package p\n\nfunc Pavilion() {}\n")
    base.configure("ingest.code", skip_generated=False)
    base.ingest()
    (hit,) = base.app.search(SearchQuery(text="Gazebo")).hits
    assert hit.role is CodeRole.GENERATED
    base.configure("ingest.code", skip_generated=True)
    base.ingest()
    assert base.app.search(SearchQuery(text="Gazebo")).hits == ()
    assert base.ingest().counts == {"scanned": 2, "skipped": 1, "unchanged": 1}
