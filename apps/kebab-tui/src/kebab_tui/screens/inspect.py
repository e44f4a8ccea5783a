"""Inspect: why a document is found or not, step by step, with its scores, passages and blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kebab_words import Phrases
from rich.text import Text

import kebab_tui.phrases as say
from kebab_tui.document import Line
from kebab_tui.items import heading, one_line, two_lines
from kebab_tui.keys import EXPLAIN, Key
from kebab_tui.screens.face import Face
from kebab_tui.texts import BAD, GOOD, QUIET, STRONG, join, show, wrap
from kebab_tui.widgets.lines import Item

if TYPE_CHECKING:
    from kebab_app import App, Explanation
    from kebab_core import Block, Chunk, Message

    from kebab_tui.jobs import Turn

_SIGNS = {"ok": ("✓", GOOD), "note": ("!", STRONG), "stop": ("x", BAD)}
_MOST = 400
"""Passages and blocks that are listed."""


class Detail(NamedTuple):
    """Passage or block of the list."""

    title: str
    text: str


class Inspect(Face):
    """Screen that explains why a document is found or not."""

    ENTER: ClassVar[Key] = EXPLAIN
    PLACEHOLDER: ClassVar[Message] = Phrases.WHY_FILE

    def __init__(self) -> None:
        super().__init__()
        self._query = ""

    def begin(self, text: str) -> None:
        """Explain a document.

        Args:
            text: The query and the address, with a line break between them.
        """
        self._query, _, file = text.partition("\n")
        self.box.value = file
        self.action_open()

    def action_open(self) -> None:
        """Explain the file in the box."""
        file, query = self.box.value.strip(), self._query.strip()
        if not file:
            self.listing.show_items([])
            return

        def read(app: App, turn: Turn) -> None:  # noqa: ARG001 - one step after another
            from kebab_app import build_search_query

            asked = build_search_query(app.base, query, filters={}) if query else None
            report = app.why(file, query=asked)
            chunks: list[Chunk] = []
            blocks: tuple[Block, ...] = ()
            if report.document is not None:
                chunks = app.base.index.documents.list_chunks(report.document.doc_id)
                blocks = app.inspect_document(report.document.doc_id).blocks
            self.tell(self._show, report, chunks, blocks)

        self.say_status(self.w(say.LOOKING))
        self.run("inspect", read)

    def _show(self, report: Explanation, chunks: list[Chunk], blocks: tuple[Block, ...]) -> None:
        from kebab_tui.remedies import render_remedy

        self.say_status(self.w(Phrases.by_query(self._query)) if report.query is not None else report.asked)
        items = [_fact(show(self.w(report.summary), STRONG if report.can_be_found else BAD))]
        if hint := render_remedy(report, self.kebab.words):
            items.append(_fact(hint))
        for step in report.steps:
            sign, style = _SIGNS[step.state]
            items.append(
                _fact(
                    show(f"{sign} ", style),
                    show(f"{self.w(Phrases.STEPS[step.name])}  ", QUIET),
                    show(self.w(step.detail)),
                )
            )
        items += self._list_scores(report)
        states = {each.ordinal: each for each in report.passages}
        if chunks:
            items.append(heading(self.w(say.passages(len(chunks)))))
        for chunk in chunks[:_MOST]:
            state = states.get(chunk.ordinal)
            facts = [f"{self.w(say.TOKENS)} {chunk.token_estimate}"]
            if state is not None and state.cosine is not None:
                facts.append(f"cosine {state.cosine:.3f}, z {state.z_score or 0:.1f}")
            if state is not None and state.terms:
                facts.append(" ".join(state.terms))
            title = f"{chunk.ordinal}  {chunk.text.strip().splitlines()[0] if chunk.text.strip() else ''}"
            items.append(
                two_lines(
                    f"p{chunk.ordinal}", show(title), show(", ".join(facts), QUIET), Detail(title, chunk.text)
                )
            )
        if blocks:
            items.append(heading(self.w(say.blocks(len(blocks)))))
        for at, block in enumerate(blocks[:_MOST]):
            text = _text_of(block)
            title = f"{block.kind}  {text.strip().splitlines()[0] if text.strip() else ''}"
            items.append(one_line(f"b{at}", show(title), Detail(title, text)))
        self.listing.show_items(items, keeps=False)

    def _list_scores(self, report: Explanation) -> list[Item]:
        items: list[Item] = []
        for leg in report.legs or ():
            where = self.w(say.rank(leg.rank)) if leg.rank is not None else self.w(say.NOT_AMONG)
            score = f"  {leg.score:.3f}" if leg.score is not None else ""
            items.append(_fact(f"{leg.mode.value}  {where}{score}"))
        for term in report.terms or ():
            found = self.w(Phrases.IN_FILE if term.passages else Phrases.NOT_IN_FILE)
            weight = f"  {term.weight:.2f}" if term.weight is not None else ""
            items.append(_fact(f"{'✓' if term.passages else '-'} {term.text}  {found}{weight}"))
        return [heading(self.w(say.SCORES)), *items] if items else []

    def show_item(self, item: Item | None) -> None:
        """Show the text of a passage or block."""
        if item is not None and isinstance(item.target, Detail):
            self.show_text(
                item.target.title, [Line("", show(each)) for each in item.target.text.splitlines()]
            )
        else:
            self.clear_text()


def _fact(*parts: Text | str) -> Item:
    """Build an item for a line of the explanation."""
    line = join(*(show(each) if isinstance(each, str) else each for each in parts))
    return Item(lambda width: wrap(line, width), line.plain)


def _text_of(block: Block) -> str:
    match block.kind:
        case "list":
            return "\n".join(f"- {each.text}" for each in block.items)
        case "table":
            return "\n".join(" │ ".join(row) for row in (block.headers, *block.rows))
        case "code":
            return block.code
        case "image_ref":
            return "\n".join([block.alt or block.src, block.ocr.joined if block.ocr else ""])
        case "audio_ref":
            return "\n".join(each.text for each in block.transcript.segments) if block.transcript else ""
        case _:
            return block.text
