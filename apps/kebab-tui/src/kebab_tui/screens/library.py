"""Library: sources, folders, tags, kinds, languages, what changed last, and files that could not be read, with what helps."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kebab_words import Phrases
from rich.text import Text
from textual import on
from textual.widgets import Input

import kebab_tui.phrases as say
from kebab_tui.document import Line
from kebab_tui.items import heading, list_documents, one_line, two_lines
from kebab_tui.keys import CHOOSE, Key
from kebab_tui.screens.face import Face, Wish
from kebab_tui.texts import BAD, QUIET, STRONG, show

if TYPE_CHECKING:
    from kebab_app import App, Overview
    from kebab_core import DocSummary, FileFailure, Message, NamedCount

    from kebab_tui.jobs import Turn
    from kebab_tui.widgets.lines import Item

_RECENT = 40
_MOST = 60
"""Names of a group that are listed."""


class Filter(NamedTuple):
    """A filter of searches."""

    name: str
    value: str


class Failed(NamedTuple):
    """A file that could not be read."""

    failure: FileFailure


class Contents(NamedTuple):
    """Contents of the library."""

    overview: Overview
    roots: list[tuple[str, str]]
    """Sources with their folders."""
    counts: list[tuple[str, str, list[NamedCount]]]
    """Folders, tags, media and languages, each with its title and the name of its filter."""
    recent: tuple[DocSummary, ...]


class Group(NamedTuple):
    """Items below a heading."""

    title: str
    items: list[tuple[str, Item]]
    """Each after the text that typing is compared with."""


class Library(Face):
    """Screen of sources, folders, tags, kinds, languages, recent documents and failed files."""

    ENTER: ClassVar[Key] = CHOOSE
    PLACEHOLDER: ClassVar[Message] = say.FILTER

    def __init__(self) -> None:
        super().__init__()
        self._groups: list[Group] = []

    def begin(self, text: str) -> None:  # noqa: ARG002 - the library begins with all there is
        """Read the contents."""
        self.run("library", self._read)

    def _read(self, app: App, turn: Turn) -> None:  # noqa: ARG002 - it is short
        from kebab_app import PageLimits, build_overview
        from kebab_core import SearchFilters

        overview, everything = build_overview(app.base), SearchFilters()
        counts: list[tuple[str, str, list[NamedCount]]] = []
        recent: tuple[DocSummary, ...] = ()
        if overview.coverage is not None:
            counts = [
                (Phrases.FOLDERS, "path_glob", app.count_documents("folders", everything)),
                (Phrases.TAGS, "tag", app.count_documents("tags", everything)),
                (Phrases.KINDS, "media", app.count_documents("media", everything)),
                (Phrases.LANGUAGE, "lang", app.count_documents("languages", everything)),
            ]
            recent = app.list_page(everything, order="recent", limits=PageLimits(limit=_RECENT)).documents
        roots = [(str(each.settings.id), str(each.root)) for each in app.loaded.paths.sources]
        self.tell(self._show, Contents(overview, roots, counts, recent))

    def _show(self, contents: Contents) -> None:
        from kebab_words import list_gaps

        overview, roots, counts, recent = contents
        said = [self.w(Phrases.INDEX_EMPTY)]
        if overview.coverage is not None:
            said = [self.w(Phrases.documents(overview.coverage.documents_indexed))]
            said += [self.w(each) for each in list_gaps(overview.coverage)]
            if overview.coverage.documents_held:
                said.append(self.w(Phrases.held(overview.coverage.documents_held)))
        self.say_status(", ".join(said))
        failed = [
            (str(each.workspace_path), _show_failure(each, self.w(each.failure.message)))
            for each in overview.failures[:_MOST]
        ]
        sources = [
            (
                name,
                two_lines(
                    f"source {name}",
                    show(name, STRONG),
                    show(f"{root}  {self.w(Phrases.documents(overview.documents.get(name, 0)))}", QUIET),
                    Filter("source", name),
                ),
            )
            for name, root in roots
        ]
        self._groups = [
            Group(self.w(say.FAILED_FILES), failed),
            Group(self.w(Phrases.SOURCES), sources),
            *(
                Group(
                    self.w(title),
                    [self._show_count(name, each) for each in found if each.name != "/"][:_MOST],
                )
                for title, name, found in counts
            ),
            Group(
                self.w(Phrases.RECENT),
                [(each.title, item) for each in recent for item in list_documents([each])],
            ),
        ]
        self._narrow()

    @on(Input.Changed)
    def _narrow(self) -> None:
        typed = self.box.value.casefold().split()
        items: list[Item] = []
        for group in self._groups:
            fitting = [item for text, item in group.items if all(word in text.casefold() for word in typed)]
            items += [heading(group.title), *fitting] if fitting else []
        self.listing.show_items(items, keeps=not typed)

    def _show_count(self, name: str, count: NamedCount) -> tuple[str, Item]:
        from kebab_words import describe_filter

        label, key = self.w(describe_filter(name, count.name)), f"{name} {count.name}"
        number = Text(str(count.documents))
        return label, one_line(key, show(label), Filter(name, count.name), right=number)

    def show_item(self, item: Item | None) -> None:
        """Show a document, or the error and remedy of a failed file."""
        from kebab_tui.remedies import render_remedy

        target = item.target if item is not None else None
        if not isinstance(target, Failed):
            super().show_item(item)
            return
        failure = target.failure
        hint = render_remedy(failure.failure, self.kebab.words)
        lines = [
            Line("", show(self.w(failure.failure.message), BAD)),
            *([Line("", show(hint))] if hint else []),
        ]
        self.show_text(str(failure.workspace_path), lines)

    def action_open(self) -> None:
        """Search within what is chosen; open a document; explain a file that could not be read."""
        target = self.listing.chosen.target if self.listing.chosen is not None else None
        if isinstance(target, Filter):
            self.dismiss(Wish("search", filters={target.name: target.value}))
        elif isinstance(target, Failed):
            self.action_inspect()
        else:
            super().action_open()

    def action_inspect(self) -> None:
        """Explain the file that is chosen."""
        target = self.listing.chosen.target if self.listing.chosen is not None else None
        if isinstance(target, Failed):
            self.action_go("inspect", f"\n{target.failure.workspace_path}")
        else:
            self.action_go("inspect", f"\n{self.address.partition('#')[0]}")


def _show_failure(failure: FileFailure, said: str) -> Item:
    path = str(failure.workspace_path)
    return two_lines(f"failed {path}", show(path, BAD), show(said, QUIET), Failed(failure))
