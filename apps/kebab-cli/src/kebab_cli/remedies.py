"""Remedies as commands: the hint below an error, and the `hint` and `fix` of wire objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import Message

from kebab_cli.language import localize, localize_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import EmbeddingFailure, KebabError, LegFailure, Remedy, RemedyKind

COMMANDS: Mapping[RemedyKind, str] = {
    "ingest": "kebab ingest[ {path!q}]",
    "verify_files": "kebab ingest --verify",
    "prune": "kebab ingest --prune",
    "embed": "kebab embed",
    "remake_vectors": "run `kebab embed`: it rebuilds the vector index from the database, nothing is lost",
    "read_pictures": "kebab ocr[ {path!q}]",
    "compact_lake": "kebab lake compact",
    "mirror_lake": "kebab lake mirror",
    "start_worker": "run `kebab worker` on this machine, with --join where there is a cluster",
    "doctor": "kebab doctor",
    "debug": "run it again with --debug and look for the id in the log",
    "repair": "kebab doctor --repair",
    "reset_data": "kebab reset --data-only (stored answers and eval runs are lost: copy the data folder first if you "
    "want them)",
    "reset_orphans": "kebab reset --orphans-only",
    "reset_vectors": "kebab reset --vector-only",
    "ingest_file": "kebab ingest-file [{path!q}|FILE]",
    "ingest_text": "kebab ingest-stdin --title TITLE < FILE",
    "undo_removal": "kebab forget --undo ADDRESS",
    "give_backup": "give another file that kebab export has written",
    "replace_file": "add --force",
    "replace_base": "kebab import --replace [{path!q}|FILE]",
    "add_source": "kebab config add-source [{path!q}|FOLDER]",
    "init": "kebab init --root [{path!q}|FOLDER, with the folder that holds your documents]",
    "explain_file": "kebab why [{path!q}|FILE]",
    "fetch_document": "kebab fetch doc [{document}|ID]",
    "fetch_address": "kebab fetch [{document!q}|ADDRESS]",
    "fetch_lines": "kebab fetch span [{document}|ID] {lines[0]} {lines[1]}",
    "list_documents": "kebab list docs[ --path-glob {path!q}]",
    "pull_model": "kebab models pull[ {name!q}]",
    "pull_served_model": "ollama pull {name!q}",
    "show_config": "kebab config show",
    "show_usage": "kebab[ {name}] --help",
    "show_media": "kebab list formats has all that is read",
    "give_question": 'kebab ask "…"',
    "give_query": 'kebab search "벡터 인덱스"',
    "allow_writing": "run it without `--readonly` and KEBAB_READONLY",
    "wait_for_writer": "wait for it to finish[ (pid {count})][; `kebab {name} --wait` does]",
    "make_private": "[chmod 700 {path!q}|let only yourself read it]",
    "install_packages": "uv pip install {name!w}[, which is what {value} adds]",
    "reinstall_model": "where kebab was cloned: uv run --reinstall-package kebab-model-e5-small kebab doctor; "
    "else: install the wheel of kebab-model-e5-small again from where kebab came",
    "explain_other_file": "if the other one is meant: kebab why [{path!q}|FILE]",
    "init_anew": "write a new one with kebab init --force",
    "read_files_again": "kebab ingest, which reads your files again; stored answers and eval runs are lost",
    "search_document": "search in [it alone: --doc-id {document}|the document]",
    "search_without_filters": "search without [{names!f}|filters]",
    "save_as_text": "save it as Markdown or plain text (kebab list formats has all that is read)",
    "name_corpus": "name the folder of its documents with --corpus",
    "use_argument": "{name!o}[ {value}]",
    "make_accessible": "[chmod u+rwX {path!q}|give yourself access to it]",
    "list_stored": "kebab {name} list",
    "next_page": "raise --max-tokens, or go on with --cursor",
}
"""Kinds that are commands, and kinds whose words name one. See `kebab_wire.REMEDY_WORDS`."""


def render_remedy(remedy: Remedy) -> str:
    """Render a remedy as a command, in the language of the process."""
    from kebab_wire import render_remedy as render

    return render(remedy, COMMANDS, translate=_translate)


def _translate(text: str) -> str:
    return localize(text) if isinstance(text, Message) else localize_text(text)


def hint_of(failure: KebabError | LegFailure | EmbeddingFailure) -> str | None:
    """The remedy of a failure in words, or its hint; None where it has neither."""
    return failure.hint if failure.remedy is None else render_remedy(failure.remedy)
