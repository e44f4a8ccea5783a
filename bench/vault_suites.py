"""Suites from a vault's files: file stems, titles, aliases, first headings and keywords as queries, with the pages they name."""

from __future__ import annotations

import argparse
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unicodedata import normalize

import yaml
from kebab_text import Script, script_of_text

MOST_PAGES = 3
"""A text that more pages share names none of them."""
LIMIT = 60
"""Queries of each kind from each vault."""
FRONT_MATTER = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)\n---[ \t]*\n", re.DOTALL)
TITLE_LINE = re.compile(r"^title[ \t]*:[ \t]*(.+)$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
ATTRIBUTES = re.compile(r"[ \t]*\{[^{}]*\}$")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([A-Za-z][A-Za-z0-9_]{3,30})`")
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]{3,}")
PHRASE = re.compile(r"[A-Za-z]{3,}( [A-Za-z]{3,}){1,2}")


@dataclass(frozen=True, kw_only=True)
class Page:
    """A Markdown file of a vault."""

    vault: str
    path: str
    text: str
    """Without front matter."""
    names: Mapping[str, tuple[str, ...]]
    """By kind."""


@dataclass(frozen=True, order=True)
class Query:
    """A query and the pages that it names."""

    kind: str
    vault: str
    """The one it was taken from."""
    text: str
    pages: tuple[tuple[str, str], ...]
    """Vault and path of each."""

    @property
    def id(self) -> str:
        """Kind, vault and a hash of the text: the same in every suite."""
        return f"{self.kind}-{self.vault}-{digest(self.text)[:8]}"


def digest(text: str) -> str:
    """Return a hash that is the same on every machine."""
    return hashlib.sha256(text.encode()).hexdigest()


def fold(text: str) -> str:
    """Return the form in which names are compared."""
    return " ".join(normalize("NFC", text).casefold().split())


def read_vault(folder: Path) -> list[Page]:
    """Read the Markdown files of a vault, hidden folders left out."""
    paths = [path.relative_to(folder) for path in sorted(folder.rglob("*.md"))]
    visible = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    return [_read_page(folder, path) for path in visible]


def _read_page(folder: Path, path: Path) -> Page:
    whole = (folder / path).read_text("utf-8", "replace")
    head = FRONT_MATTER.match(whole)
    text = whole[head.end() :] if head else whole
    fields = _read_fields(head[1]) if head else {}
    heading = HEADING.search(FENCED.sub("", text))
    aliases = fields.get("aliases") or fields.get("alias")
    return Page(
        vault=folder.name,
        path=path.as_posix(),
        text=text,
        names={
            "name": (path.stem,),
            "title": (str(fields["title"]),) if fields.get("title") else (),
            "alias": tuple(map(str, aliases if isinstance(aliases, list) else filter(None, [aliases]))),
            "heading": (ATTRIBUTES.sub("", heading[1]),) if heading else (),
        },
    )


def _read_fields(head: str) -> dict[str, object]:
    try:
        fields = yaml.safe_load(head)
    except yaml.YAMLError:
        title = TITLE_LINE.search(head)
        fields = {"title": title[1].strip()} if title else {}
    return fields if isinstance(fields, dict) else {}


def list_names(pages: Sequence[Page]) -> list[Query]:
    """List the names of pages; all pages with a name, of whatever kind, are right for it, and it is asked once a vault."""
    holders: dict[str, set[tuple[str, str]]] = {}
    for page in pages:
        for name in (name for names in page.names.values() for name in names):
            holders.setdefault(fold(name), set()).add((page.vault, page.path))
    found: dict[tuple[str, str], Query] = {}
    for kind in ("name", "title", "alias", "heading"):
        for page in pages:
            for name in page.names[kind]:
                held = holders[fold(name)]
                if any(letter.isalnum() for letter in name) and len(held) <= MOST_PAGES:
                    query = Query(kind, page.vault, normalize("NFC", name.strip()), tuple(sorted(held)))
                    found.setdefault((page.vault, fold(name)), query)
    return list(found.values())


def find_keywords(pages: Sequence[Page]) -> Iterator[Query]:
    """Yield English keywords: identifiers in code of Korean pages, and headings of two or three words of English ones.

    Right are all pages that hold the words, next to each other.
    """
    texts = {(page.vault, page.path): fold(page.text) for page in pages}
    words: dict[str, set[tuple[str, str]]] = {}
    for key, text in texts.items():
        for word in set(IDENTIFIER.findall(text)):
            words.setdefault(word, set()).add(key)
    asked: dict[tuple[str, str], str] = {}
    for page in pages:
        if script_of_text(page.text) is Script.HANGUL:
            wanted: Iterable[str] = CODE.findall(FENCED.sub("", page.text))
        else:
            headings = (ATTRIBUTES.sub("", text) for text in HEADING.findall(FENCED.sub("", page.text)))
            wanted = filter(PHRASE.fullmatch, headings)
        for text in wanted:
            asked.setdefault((page.vault, fold(text)), text)
    for (vault, phrase), text in asked.items():
        first = min((words.get(word, set()) for word in IDENTIFIER.findall(phrase)), key=len, default=set())
        held = first if phrase in words else {place for place in first if phrase in texts[place]}
        if 0 < len(held) <= MOST_PAGES:
            yield Query("keyword", vault, text, tuple(sorted(held)))


def sample(queries: Iterable[Query], limit: int) -> list[Query]:
    """Take so many queries of each kind and vault, by a hash of their texts."""
    taken: dict[tuple[str, str], list[Query]] = {}
    for query in sorted(queries, key=lambda query: digest(query.text)):
        members = taken.setdefault((query.kind, query.vault), [])
        if len(members) < limit:
            members.append(query)
    return sorted(query for members in taken.values() for query in members)


def write_suite(queries: Sequence[Query], path: Path, *, is_mixed: bool) -> None:
    """Write one suite; in that of several vaults a page is named `VAULT:PATH`."""
    rows = [
        {
            "id": query.id,
            "query": query.text,
            "kind": query.kind,
            "expected_doc_ids": [f"{vault}:{page}" if is_mixed else page for vault, page in query.pages],
        }
        for query in queries
    ]
    path.write_text(
        yaml.safe_dump({"suite": path.stem, "queries": rows}, allow_unicode=True, sort_keys=False), "utf-8"
    )


def write_suites(vaults: Sequence[Path], out: Path, *, limit: int = LIMIT) -> dict[str, Path]:
    """Write a suite for each vault, and one for all of them where there are several.

    Args:
        vaults: Folders; the names of the folders are the names of the sources.
        out: Folder of the suites; made if it is not there.
        limit: Queries of each kind from each vault.

    Returns:
        Suites by name of the vault, and `mixed`.
    """
    out.mkdir(parents=True, exist_ok=True)
    read = {folder.name: read_vault(folder) for folder in vaults}
    groups = {**read, "mixed": [page for pages in read.values() for page in pages]} if len(read) > 1 else read
    written = {}
    for name, pages in groups.items():
        written[name] = out / f"names-{name}.yaml"
        queries = sample([*list_names(pages), *find_keywords(pages)], limit)
        write_suite(queries, written[name], is_mixed=len(groups) > 1 and name == "mixed")
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vaults", type=Path, nargs="+", help="folders of Markdown files")
    parser.add_argument("out", type=Path, help="folder for the suites")
    parser.add_argument("--limit", type=int, default=LIMIT, help="queries of each kind from each vault")
    options = parser.parse_args()
    for name, path in write_suites(options.vaults, options.out, limit=options.limit).items():
        print(f"{name:20} {path}")


if __name__ == "__main__":
    main()
