from __future__ import annotations

from kebab_chunk import build_chunker
from kebab_core import Chunk, CodeSpan, LongDocument
from kebab_testing.documents import DocumentBuilder, make_policy
from kebab_testing.fakes.counter import WordCounter
from kebab_testing.tables import walk


def cut(text: str, *, largest: int = 200) -> list[Chunk]:
    policy = make_policy(target_tokens=16, max_tokens=largest, overlap_tokens=0)
    builder = DocumentBuilder().code_unit(text)
    return list(
        build_chunker("k8s-manifest-resource-v1", WordCounter()).chunk(
            LongDocument.of(builder.build()), policy
        )
    )


def found(text: str) -> list[tuple[str | None, int, int]]:
    return [
        (span.symbol, span.line_start, span.line_end)
        for chunk in cut(text)
        for span in chunk.source_spans
        if isinstance(span, CodeSpan)
    ]


WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: prod\nspec: {replicas: 3}"
CONFIG = "kind: \"ConfigMap\"\napiVersion: v1\nmetadata: {name: '설정'}\ndata:\n  a: |\n    ---b"


def test_resources_of_a_file_are_passages_with_kind_namespace_and_name():
    text = f"# licence\n---\n{WEB}\n---\n\n{CONFIG}\n---\n# end\n"
    assert found(text) == [("Deployment/prod/web", 1, 8), ("ConfigMap/설정", 11, 18)]
    first, second = cut(text)
    assert [symbol.symbol for symbol in first.symbols] == ["Deployment/prod/web"]
    assert first.heading_path == ("Deployment", "prod", "web")
    assert second.text.startswith('kind: "ConfigMap"')


def test_items_of_a_list_are_resources_of_their_own():
    items = "\n".join(
        f"- apiVersion: v1\n  kind: Service\n  metadata:\n    name: s{number}" for number in range(2)
    )
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}\nmetadata: {{}}"
    assert found(text) == [("Service/s0", 1, 7), ("Service/s1", 8, 12)]


def test_a_list_whose_items_are_no_resources_is_one_resource():
    assert found("apiVersion: v1\nkind: PodList\nitems:\n- a: 1\n- b: 2") == [("PodList", 1, 5)]


def test_templates_of_helm_are_read_around():
    text = """\
{{- if and .Values.on (eq .Values.kind "x") }}
apiVersion: {{ .Values.api | default "v1" }}
kind: Service
metadata:
  name: {{ include "app.name"   . }}-web
  labels:
    {{- include "app.labels" . | nindent 4 }}
  namespace: "{{ .Release.Namespace }}"
{{- /* a remark
  of two lines: [ */}}
spec: {type: {{ .Values.type }}}
{{- end }}"""
    name = 'Service/{{ .Release.Namespace }}/{{ include "app.name" . }}-web'
    assert found(text) == [(name, 1, 12)]


def test_a_long_resource_is_cut_with_its_head_before_each_part():
    rows = "\n".join(f"  key{number}: some value" for number in range(40))
    chunks = cut(f"{WEB}\ndata:\n{rows}", largest=40)
    assert len(chunks) > 2
    for chunk in chunks[1:]:
        assert chunk.lead is not None
        assert chunk.text[: chunk.lead.end] == WEB.rpartition("\n")[0] + "\n"
    assert [len(chunk.symbols) for chunk in chunks] == [1] + [0] * (len(chunks) - 1)


@walk(
    "text",
    [
        "on: push\njobs: {}",
        "apiVersion: v1",
        f"{WEB}\n---\nname: x",
        f"{WEB}\n---\na: [",
        "- apiVersion: v1\n  kind: A",
        "apiVersion: [v1]\nkind: A",
        "apiVersion: v1\nkind: ",
        "",
        "# a remark\n---\n# another",
        "\t a: b",
        f"{WEB}\nx: {'[' * 300_000}",
        "? a\n? b",
        "a: \x07",
    ],
)
def test_what_is_no_resource_gives_no_passage(text: str):
    assert cut(text) == []


def test_aliases_are_not_followed():
    levels = "\n".join(
        f"  a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]" for number in range(1, 30)
    )
    text = (
        "apiVersion: v1\nkind: Bomb\nmetadata: {name: &n b}\nspec:\n  a0: &a0 [x]\n"
        f"{levels}\nx: &x\n  y: *x"
    )
    assert [chunk.symbols[0].symbol for chunk in cut(text, largest=1000)] == ["Bomb/b"]
