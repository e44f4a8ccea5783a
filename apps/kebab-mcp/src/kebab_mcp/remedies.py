"""Remedies as tool calls: what an agent can do itself, and what it can ask of the user who has a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kebab_core import Remedy, RemedyKind

TOOL_CALLS: Mapping[RemedyKind, str] = {
    "ingest": "the user can run: kebab ingest[ {path!q}]",
    "verify_files": "the user can run: kebab ingest --verify",
    "prune": "the user can run: kebab ingest --prune",
    "embed": "the user can run: kebab embed",
    "remake_vectors": "the user can run `kebab embed`: it rebuilds the vector index from the database, nothing is lost",
    "read_pictures": "the user can run: kebab ocr[ {path!q}]",
    "doctor": "call `doctor`",
    "repair": "the user can run: kebab doctor --repair",
    "reset_data": "the user can run: kebab reset --data-only (stored answers and eval runs are lost: copy the data "
    "folder first to keep them)",
    "reset_orphans": "the user can run: kebab reset --orphans-only",
    "reset_vectors": "the user can run: kebab reset --vector-only",
    "ingest_file": "look at what `ingest_file` takes",
    "undo_removal": "call `forget_note` with undo=true and the address",
    "add_source": "the user can run: kebab config add-source [{path!q}|FOLDER]",
    "init": "the user can run: kebab init --root [{path!q}|FOLDER, with the folder that holds the documents]",
    "explain_file": "call `why`[ with {path!q}]",
    "fetch_document": "kind=doc reads all of it",
    "fetch_address": "fetch address [{document}|of a hit]",
    "fetch_lines": "give line_start={lines[0]} and line_end={lines[1]}",
    "list_documents": "call `search` or `list`: they name the documents there are",
    "pull_model": "the user can run: kebab models pull[ {name!q}]",
    "pull_served_model": "the user can run: ollama pull {name!q}",
    "show_config": "the user can run: kebab config show",
    "show_usage": "look at what [`{name}`|the tool] takes",
    "show_media": "`doctor` with capabilities=true lists what can be read",
    "allow_writing": "the user started this server for reading only",
    "make_private": "[the user can run: chmod 700 {path!q}|the user can make it private]",
    "install_packages": "the user can run: uv pip install {name!w}",
    "reinstall_model": "the user can install the package kebab-model-e5-small again",
    "explain_other_file": "if the other one is meant, call `why` with [{path!q}|its path]",
    "init_anew": "the user can write a new one with kebab init --force",
    "read_files_again": "the user can run kebab ingest, which reads the files again; stored answers and eval runs are lost",
    "search_document": "search with path_glob of its path",
    "save_as_text": "save it as Markdown or plain text (`doctor` with capabilities=true lists what can be read)",
    "add_to_setting": "the user can add its folder to {setting} in the configuration",
    "add_password": "the user can add its password to {setting} in the configuration, or save it without one",
    "use_argument": "call it with {name}[={value}]",
    "make_accessible": "[the user can run: chmod u+rwX {path!q}|the user can give access to it]",
    "list_stored": "the user can run: kebab {name} list",
    "next_page": "raise max_tokens, or go on with the cursor",
    "ingest_text": "give `write_note` both `title` and `content`",
}
"""Kinds that are tool calls, and kinds that the user has a command for. See `kebab_wire.REMEDY_WORDS`."""


def render_remedy(remedy: Remedy) -> str:
    """Render a remedy for agents."""
    from kebab_wire import render_remedy as render

    return render(remedy, TOOL_CALLS)
