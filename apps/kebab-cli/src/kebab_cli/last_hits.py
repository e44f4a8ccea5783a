"""Addresses of the last result in a terminal, so that `@3` names its third hit.

A terminal is a session of processes with a controlling terminal: what its shell starts shares both, redirected or not. Each
has a file of its own in the cache folder, which only its user can read. Programs without a terminal have none.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kebab_app import App, SoughtWords
    from kebab_core import Answer

Quotes = Sequence[Sequence[str]]
"""Of each claim the texts that its citation may hold, the best first."""
FOLDER = "terminals"
_MAX_HITS = 1000
_MAX_TERMINALS = 50
"""Files that are kept, the newest."""
_MAX_AGE_S = 7 * 24 * 3600
"""Older results are forgotten: the number of a session may have come to another terminal."""


def find_terminal() -> str | None:
    """Identify the terminal of this process: the same for all that its shell starts; None without a terminal."""
    try:
        os.close(os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY))
        session = os.getsid(0)
    except OSError:
        return None
    return hashlib.sha256(f"{os.getuid()} {session} {_start_time(session)}".encode()).hexdigest()[:32]


def _start_time(process: int) -> str:
    """Return when a process started, in ticks since the machine did; empty where the system does not tell."""
    with suppress(OSError, IndexError):
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    return ""


def remember_hits(
    app: App, addresses: Mapping[int, str], *, query: str = "", quotes: Mapping[int, Quotes] | None = None
) -> None:
    """Record the addresses of a result by rank, in place of those of the result before; nothing where that is impossible.

    Args:
        app: The knowledge base.
        addresses: Address by rank; an empty result is recorded, too.
        query: The query, or the question.
        quotes: Texts of the claims of an answer and of their quotes, by the rank of their citation.
    """
    terminal = None if app.base.readonly else find_terminal()
    if terminal is None:
        return
    known = dict(list(addresses.items())[:_MAX_HITS])
    with suppress(OSError):
        folder = _folder(app)
        for each in (folder.parent, folder):
            each.mkdir(mode=0o700, parents=True, exist_ok=True)
        result = {"data_dir": str(app.base.data_dir), "hits": known, "query": query, "quotes": quotes or {}}
        content = json.dumps(result, ensure_ascii=False)
        with tempfile.NamedTemporaryFile(  # only its owner may read it
            "w", encoding="utf-8", dir=folder, prefix=f"{terminal}.", delete=False
        ) as file:
            file.write(content)
        Path(file.name).replace(folder / terminal)
        _forget_old(folder)


def recall_hit(app: App, rank: int) -> str | None:
    """Return the address of a hit of the last result here; None where there is none of this rank."""
    found = _recall(app).get("hits", {}).get(str(rank))
    return None if found is None else str(found)


def recall_words(app: App, rank: int) -> SoughtWords:
    """Return the words of the last query here, and of the claims that cite a hit."""
    from kebab_app import SoughtWords

    kept = _recall(app)
    quotes = tuple(tuple(map(str, each)) for each in kept.get("quotes", {}).get(str(rank), ()))
    return SoughtWords(query=str(kept.get("query", "")), quotes=quotes)


def _recall(app: App) -> dict[str, Any]:
    """Return the last result here; empty where there is none of this knowledge base."""
    terminal = find_terminal()
    if terminal is None:
        return {}
    try:
        with (_folder(app) / terminal).open(encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            age = app.base.clock.now().timestamp() - status.st_mtime
            if status.st_uid != os.getuid() or age > _MAX_AGE_S:
                return {}
            kept = json.load(file)
        return kept if kept["data_dir"] == str(app.base.data_dir) else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _folder(app: App) -> Path:
    return app.loaded.paths.cache_dir / FOLDER


def _forget_old(folder: Path) -> None:
    files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in files[_MAX_TERMINALS:]:
        path.unlink(missing_ok=True)


def remember_answer(app: App, answer: Answer, question: str) -> None:
    """Record the citations of an answer with what is quoted of them, and the question."""
    quotes: dict[int, list[list[str]]] = {}
    for claim in answer.claims:
        for source in claim.sources:
            texts = [claim.text, source.quote] if source.quote else [claim.text]
            quotes.setdefault(int(source.marker.strip("[]")), []).append(texts)
    remember_hits(app, number_citations(answer), query=question, quotes=quotes)


def number_citations(answer: Answer) -> dict[int, str]:
    """Return the addresses of citations by the number of their markers, of candidates by their order."""
    addresses = [cited.citation.to_passage_address() for cited in answer.citations]
    numbers = [cited.marker and cited.marker.strip("[]") for cited in answer.citations]
    return {
        int(number or at): address
        for at, (number, address) in enumerate(zip(numbers, addresses, strict=True), 1)
    }
