"""`kebab ingest-file` and `kebab ingest-stdin` as they are typed."""

from __future__ import annotations

import shlex
from pathlib import Path


def letter(kb, text: str = "# Letter\n\nSent from Busan.\n") -> Path:  # type: ignore[no-untyped-def]
    path: Path = kb.folder / "letter.md"
    path.write_text(text, encoding="utf-8")
    return path


def found(kb, query: str) -> list[str]:  # type: ignore[no-untyped-def]
    return [hit["doc_path"] for hit in kb("search", query, "--json").last["hits"]]


def test_file_from_elsewhere_is_found_after_every_later_ingest(quick) -> None:  # type: ignore[no-untyped-def]
    done = quick("ingest-file", str(letter(quick)))
    assert (done.code, done.stdout.startswith("done  1 file, 1 new")) == (0, True)
    (path,) = found(quick, "Busan")
    assert path in done.stdout

    quick.write(".kebabignore", "_external/\n")
    assert quick("ingest", "--prune").code == 0
    assert quick("reset", "--orphans-only", "--yes").code == 0
    assert found(quick, "Busan") == [path]


def test_output_names_the_command_that_reads_the_document(quick) -> None:  # type: ignore[no-untyped-def]
    path = str(letter(quick))
    first, again = quick("ingest-file", path).stdout, quick("ingest-file", path).stdout
    for shown in (first, again):
        command = shlex.split(shown.partition("(kebab ")[2].partition(")\n")[0])
        assert "Sent from Busan." in quick(*command).stdout


def test_relative_path_is_relative_to_where_the_user_is(quick) -> None:  # type: ignore[no-untyped-def]
    letter(quick).rename(quick.kebab.home / "letter.md")
    assert quick("ingest-file", "letter.md").code == 0


def test_file_that_a_rule_leaves_out_is_an_error_that_names_the_rule(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write(".kebabignore", "secret.md\n")
    done = quick("ingest-file", str(quick.write("secret.md", "# 비밀")))
    assert done.code == 2
    assert "kebabignore" in done.stdout
    assert "hint:" in done.stdout


def test_text_from_standard_input_is_found_under_its_title(indexed) -> None:  # type: ignore[no-untyped-def]
    done = indexed(
        "ingest-stdin", "--title", "차 이야기", "--source-uri", "https://a.test/?b=1", stdin="보리차"
    )
    assert done.code == 0, done.stderr
    (path,) = found(indexed, "보리차")
    document = indexed("inspect", "doc", indexed.doc_id(path), "--json").last
    assert document["title"] == "차 이야기"
    assert document["metadata"]["user"] == {"source_uri": "https://a.test/?b=1"}  # type: ignore[index]


def test_older_encoding_on_standard_input_is_read_with_a_warning(quick) -> None:  # type: ignore[no-untyped-def]
    text = ("동해물과 백두산이 마르고 닳도록 " * 5).encode("cp949")
    done = quick("ingest-stdin", "--title", "옛글", stdin=text)
    assert (done.code, "cp949" in done.stdout) == (0, True)
    assert len(found(quick, "백두산")) == 1


def test_empty_standard_input_is_refused(indexed) -> None:  # type: ignore[no-untyped-def]
    done = indexed("ingest-stdin", "--title", "T", "--json")
    assert (done.code, done.error["code"]) == (2, "invalid_input")


def test_terminal_on_standard_input_is_refused_with_a_hint(indexed, terminal) -> None:  # type: ignore[no-untyped-def]
    done = terminal(indexed, "ingest-stdin", "--title", "T", streams=[], typed="")
    assert done.code == 2
    assert "hint: kebab ingest-stdin --title TITLE < FILE" in done.stderr


def test_readonly_refuses_both(indexed) -> None:  # type: ignore[no-untyped-def]
    for arguments in (["ingest-file", str(letter(indexed))], ["ingest-stdin", "--title", "T"]):
        done = indexed(*arguments, "--json", stdin="text", env={"KEBAB_READONLY": "1"})
        assert (done.code, done.error["code"]) == (2, "readonly_mode")
    assert not (indexed.notes / "_external").exists()


def test_several_files_end_in_one_terminal_event_and_one_report(quick) -> None:  # type: ignore[no-untyped-def]
    other = quick.folder / "other.txt"
    other.write_text("other", encoding="utf-8")
    done = quick("ingest-file", str(letter(quick)), str(other), "--json")
    kinds = [value.get("kind", value["schema_version"]) for value in done.objects]
    assert kinds[-2:] == ["completed", "ingest_report.v1"]
    assert kinds.count("completed") == 1
    assert [item["kind"] for item in done.last["items"]] == ["new", "new"]


def test_what_is_piped_in_cannot_claim_to_be_trusted_and_a_file_of_the_user_is(quick) -> None:  # type: ignore[no-untyped-def]
    claim = "---\ntrust_level: primary\n---\n"
    quick("ingest-stdin", "--title", "piped", stdin=f"{claim}busan by pipe")
    quick("ingest-stdin", "--title", "page", "--source-uri", "https://a.test/", stdin=f"{claim}busan by web")
    quick("ingest-file", str(letter(quick)))
    hits = quick("search", "busan", "--json").last["hits"]
    assert {hit["title"]: hit["trust_level"] for hit in hits} == {
        "piped": "secondary",
        "page": "generated",
        "Letter": "primary",
    }
    assert "trust_level" in quick("why", next(hit["doc_id"] for hit in hits if hit["title"] == "page")).stdout


def test_text_of_any_extension_is_read_when_it_is_named_and_stays(quick) -> None:  # type: ignore[no-untyped-def]
    odd = quick.write("plan.xyz", "물범은 북쪽에 산다.\n")
    assert quick("ingest").code == 0
    assert found(quick, "물범") == []
    assert f"kebab ingest-file {odd}" in quick("why", str(odd)).stdout

    assert quick("ingest-file", str(odd)).code == 0
    (path,) = found(quick, "물범")
    assert path.endswith("plan.xyz.txt")
    odd.write_text("물범은 남쪽에 산다.\n", encoding="utf-8")
    assert quick("ingest-file", str(odd)).code == 0
    assert quick("ingest", "--prune").code == 0
    assert found(quick, "남쪽") == [path]


def test_binary_file_of_an_unknown_extension_is_refused_by_its_name(quick) -> None:  # type: ignore[no-untyped-def]
    odd = quick.folder / "cover.psd"
    odd.write_bytes(b"8BPS\0\1" + bytes(100))
    done = quick("ingest-file", str(odd), "--json")
    assert (done.code, done.error["code"]) == (2, "unsupported_media")
    assert "'cover.psd' is neither text nor of a format that is read" in done.error["message"]
    assert "save them as PNG" in done.error["hint"]


def test_private_key_is_refused_in_words(quick) -> None:  # type: ignore[no-untyped-def]
    key = quick.folder / "id_ed25519"
    key.write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n")
    assert "would be skipped: private key or access key" in quick("ingest-file", str(key)).stderr


def test_files_without_an_extension_are_read_by_their_content(quick) -> None:  # type: ignore[no-untyped-def]
    quick.write("NOTES", "오소리는 밤에 다닌다.\n")
    quick.write("id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\n오소리\n")
    (quick.folder / "notes" / "tool").write_bytes(b"\x7fELF\0" + bytes(50))
    report = quick("ingest", "--json").last
    assert (report["skipped_secret"], report["skipped_binary_content"]) == (1, 1)
    assert found(quick, "오소리") == ["NOTES"]
