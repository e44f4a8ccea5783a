"""Random Markdown and plain text in which every word occurs once, so that its line is known.

Words `v12x` and `말12은` are text of the document: what its reader sees, and the addresses of links in the line that they
stand in. Words `h12x` are not: comments, titles of links, tag attributes, labels that stand in several lines, front matter that is a mapping.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

VISIBLE = re.compile(r"v\d+x|말\d+은")
"""A word that a reader sees."""

_BLANKS = ("\t", "\u00a0", "\u2028", "\x85", "\f", "\v", "\x1c", "\u3000", "\u200b", "  ")
_LINE_ENDS = ("\n", "\n", "\n", "\r\n", "\r")


def make_markdown(random: Random) -> str:
    """Return a Markdown file of random blocks."""
    writer = _Writer(random)
    parts = [writer.opening()]
    parts += [writer.block() for _ in range(random.choice((1, 3, 8, 25)))]
    parts += [writer.ending()]
    text = "".join(part + "\n" * random.choice((1, 1, 2, 2, 2, 3)) for part in parts if part)
    return text.replace("\n", random.choice(_LINE_ENDS))


def make_text(random: Random) -> str:
    """Return a plain text file of paragraphs, some of them indented, underlined or bulleted."""
    writer = _Writer(random)
    text = ""
    for _ in range(random.choice((1, 4, 15))):
        lines = writer.wrap(writer.sentences(plain=True)).split("\n")
        indent = random.choice(("", "", "    ", "\t"))
        text += "".join(f"{indent}{line}{random.choice(('', '', ' '))}\n" for line in lines)
        text += random.choice(("", "====\n", " \n", "\n\n", "\n", "\f\n"))
    return text.replace("\n", random.choice(_LINE_ENDS))


def word_lines(text: str) -> dict[str, int]:
    """Return the line, from 1, of every visible word of a file."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return {word: number for number, line in enumerate(lines, start=1) for word in VISIBLE.findall(line)}


def _indent(text: str, pad: str) -> str:
    return "\n".join(f"{pad}{line}" if line else "" for line in text.split("\n"))


class _Writer:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.width = random.choice((0, 12, 30, 60, 80, 80, 100))
        self.labels = [self.hidden() for _ in range(random.choice((1, 3)))]
        self.notes = [self.hidden() for _ in range(2)]

    def visible(self) -> str:
        self.count += 1
        return f"말{self.count}은" if self.random.random() < 0.3 else f"v{self.count}x"

    def hidden(self) -> str:
        self.count += 1
        return f"h{self.count}x"

    def words(self, most: int = 6) -> str:
        return " ".join(self.visible() for _ in range(self.random.randint(1, most)))

    def sentences(self, *, plain: bool = False) -> str:
        random, said = self.random, []
        for _ in range(random.choice((1, 2, 6, 30))):
            parts = [
                self.words() if plain or random.random() < 0.7 else self.inline()
                for _ in range(random.randint(1, 3))
            ]
            said.append(" ".join(parts) + random.choice((".", ".", "?", "。", "", ":")))
        return " ".join(said)

    def wrap(self, text: str, *, width: int | None = None) -> str:
        """Break lines at blanks wherever the width is reached, inside of links, code and tags as well."""
        width = self.width if width is None else width
        if not width:
            return text
        lines, line = [], ""
        for word in text.split(" "):
            if line and len(line) + len(word) >= width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        return "\n".join([*lines, line])

    def inline(self) -> str:
        forms: tuple[Callable[[], str], ...] = (
            lambda: f"**{self.words()}**",
            lambda: f"*{self.words()} __{self.words()}__*",
            lambda: f"`{self.words()}`",
            lambda: f"``{self.words()} ` {self.words()}``",
            lambda: f'[{self.words()}]( https://{self.visible()}.invalid "{self.hidden()} {self.hidden()}" )',
            lambda: f"[{self.words()}](<{self.hidden()} {self.hidden()}.md#{self.hidden()}>)",
            lambda: f"[**{self.words()}** `{self.words()}`]({self.visible()}.md '{self.hidden()}')",
            lambda: f"[![{self.words()}]({self.visible()}.png)]( https://{self.visible()}.invalid )",
            lambda: f"![{self.words()}]( {self.visible()}.png ({self.hidden()}) )",
            lambda: f"![{self.words()}][{self.label()}]",
            lambda: f"[{self.words()}][{self.label()}]",
            lambda: f"[{self.words()} *{self.words()}*][{self.label().upper()}] [{self.label()}][]",
            lambda: f"[{self.label()}] {self.visible()} ![{self.label()}]",
            lambda: (
                f'<span title="{self.hidden()} {self.hidden()}" id="{self.hidden()}">{self.words()}</span>'
            ),
            lambda: f'<img src="{self.hidden()}" alt="{self.words(3)}" title="{self.hidden()}">',
            lambda: f"{self.visible()}<br>{self.visible()}",
            lambda: f"<!-- {self.hidden()} {self.hidden()} -->{self.visible()}",
            lambda: (
                f"{self.visible()} &amp; {self.visible()} &#10; {self.visible()} &NewLine; {self.visible()}"
            ),
            lambda: rf"{self.visible()} \* {self.visible()} \[ {self.visible()}",
            lambda: f"[[{self.words(3)}]] ![[{self.words(3)}#{self.visible()}]]",
            lambda: f"[[{self.hidden()}/{self.visible()}#{self.hidden()}|{self.words(3)}]]",
            lambda: (
                f"![[{self.visible()}.png|{self.words(3)}]] ![[{self.visible()}.svg#{self.hidden()}|20x30]]"
            ),
            lambda: (
                f"{self.visible()}[^{self.random.choice(self.notes)}] ~~{self.words()}~~ ==={self.visible()}==="
            ),
            lambda: f"{self.visible()}^[{self.words()}] {self.visible()}[^{self.hidden()}]",
            lambda: f"<https://{self.visible()}.invalid> <{self.visible()}@{self.visible()}.invalid>",
            lambda: (
                f"https://{self.visible()}.invalid/{self.visible()}_{self.visible()} www.{self.visible()}.invalid"
            ),
            lambda: (
                f"#{self.visible()} ${self.visible()}_{{{self.visible()}}}$ $${self.words()} \\\\ {self.words()}$$"
            ),
            lambda: f"<![CDATA[{self.words()}]]> {self.visible()}",
            lambda: f"%%{self.words()}%% {self.visible()} ^{self.visible()}",
            lambda: (
                f"<kbd>{self.visible()}</kbd> <?{self.hidden()} {self.hidden()}?> <!X {self.hidden()}>{self.visible()}"
            ),
            lambda: (
                f"{self.visible()}<sup>{self.words(2)}</sup> <a href='{self.hidden()}'>{self.words()}</a>"
            ),
            lambda: f"{self.visible()}  \n{self.visible()}\\\n{self.visible()}",
            lambda: f"*{self.visible()}  \n{self.visible()}* **{self.visible()}\\\n{self.visible()}**",
            lambda: (
                f"***{self.words()}** {self.words()}* **{self.visible()}*{self.visible()}*** ~{self.words()}~"
            ),
            lambda: (
                f"{self.visible()}*{self.visible()}*{self.visible()} {self.visible()}**{self.visible()} _{self.visible()}"
            ),
            lambda: (
                f"&#x41;{self.visible()} &nope; {self.visible()} &copy;{self.visible()} &#0; {self.visible()}"
            ),
            lambda: f"[{self.words()}](/{self.visible()}(a)&auml;?x=1&amp;y=2 '&quot;{self.hidden()}')",
            lambda: f"[{self.words()} [{self.visible()}] {self.words()}](<>) ![]({self.visible()}.png)",
            lambda: f"[{self.words()}](\n  {self.visible()}.md\n  '{self.hidden()}\n  {self.hidden()}'\n)",
            lambda: (
                f"<made-up+scheme:{self.visible()}> ({self.visible()}@{self.visible()}.invalid) <b/>{self.visible()}"
            ),
            lambda: (
                f"(https://{self.visible()}.invalid/{self.visible()}(a)?b=c&amp;). http://{self.visible()}.invalid;"
            ),
            lambda: f"{self.visible()}{self.random.choice(_BLANKS)}{self.visible()}",
            lambda: (
                f"`{self.visible()}  {self.visible()}` `` `{self.visible()}` `` `<b {self.visible()}` \\`{self.visible()}`"
            ),
            lambda: (
                f"<a href='{self.hidden()}'\ttitle=\"{self.hidden()}\n{self.hidden()}\" {self.hidden()}>{self.words()}</a\n>"
            ),
            lambda: (
                f"<!--> {self.visible()} <!---> {self.visible()} <!-- {self.hidden()}--{self.hidden()} --> {self.visible()}"
            ),
            lambda: (
                f"{self.visible()} <{self.visible()} <3 {self.visible()} </{self.hidden()} > {self.visible()} < {self.visible()}>"
            ),
            lambda: (
                f"[{self.words()}][{self.hidden()}] [{self.words()}] {self.visible()} * {self.visible()} _ `"
            ),
        )
        return self.random.choice(forms)()

    def block(self) -> str:
        blocks = (
            self.heading,
            self.paragraph,
            self.paragraph,
            self.listing,
            self.quote,
            self.fence,
            self.indented,
            self.table,
            self.table,
            self.html,
            self.definition,
            self.definition,
            self.footnote,
            self.math,
            self.rule,
        )
        return self.random.choice(blocks)()

    def paragraph(self) -> str:
        return self.wrap(self.sentences())

    @property
    def leaves(self) -> tuple[Callable[[], str], ...]:
        """Writers of blocks that can stand in any other."""
        return self.fence, self.html, self.table, self.definition, self.footnote, self.math, self.indented

    def heading(self) -> str:
        random = self.random
        if random.random() < 0.3:
            # not below a line, which would be part of it: addresses in headings are no text
            pad = " " * random.choice((0, 0, 3))
            line = random.choice(("===", "---", "=", "-", "  ===   "))
            return "\n" + _indent(self.wrap(self.words(12)), pad) + "\n" + line
        mark = (
            " " * random.choice((0, 0, 0, 3)) + "#" * random.randint(1, 7) + random.choice((" ", " ", "\t"))
        )
        return mark + self.words() + random.choice(("", "", " ##", " #  ", "#", " \\#", " {#a .b}"))

    def rule(self) -> str:
        return "\n" + self.random.choice(("---", "***", "_ _ _", " * * *\t", "   --- -", "#", "##\t"))

    def label(self) -> str:
        return self.random.choice(self.labels)

    def definition(self) -> str:
        """Return link definitions in successive lines, which nothing but a blank line may stand before."""
        forms: tuple[Callable[[], str], ...] = (
            lambda: f"[{self.label()}]: https://{self.visible()}.invalid",
            lambda: f'[{self.label()}]: <https://{self.visible()}.invalid> "{self.words()}"',
            lambda: f"   [{self.label().upper()}]:\n{self.visible()}.md\n '{self.words()}\n {self.words()}'",
            lambda: (
                f"[{self.label()}]: <{self.hidden()}/{self.visible()} {self.visible()}.png>\n    ({self.words()})"
            ),
            lambda: f"[{self.label()}]:\n   https://{self.visible()}.invalid ({self.words()})",
            lambda: f"[{self.label()}]: https://{self.visible()}.invalid {self.visible()}",
            lambda: f'[{self.label()}]: /{self.visible()}.md\n"{self.words()}" {self.visible()}',
            lambda: f"[{self.hidden()}\n {self.hidden()}]: <{self.visible()}.md>\t'{self.words()}'",
            lambda: f"[{self.label()}]:\n\n{self.visible()} [{self.visible()}]: {self.visible()}",
            lambda: f"[{self.label()}]: {self.visible()}.md (\n{self.words()}\n)",
        )
        many = range(self.random.choice((1, 1, 4)))
        return self.random.choice(("", "\n")) + "\n".join(self.random.choice(forms)() for _ in many)

    def footnote(self) -> str:
        mark = f"[^{self.random.choice(self.notes)}]:"
        return self.random.choice((
            lambda: f"{mark} {self.wrap(self.sentences())}",
            lambda: f"{mark}\n    {self.words()}\n\n    {self.words()}\n{self.words()}",
            lambda: f"{mark} {self.words()}\n\n" + _indent(self.listing(3), "    "),
            lambda: f"{mark} {self.words()}\n\n" + _indent(self.fence(), "    "),
            lambda: f"{mark} {self.words()}\n\n" + _indent(self.table(), "    "),
            lambda: f"{mark} > {self.words()}\n    > {self.words()}\n\n    {self.heading()}",
            lambda: f"{mark} {self.words()}\n\n\t{self.words()}\n\n{self.visible()}[^{self.notes[0]}]",
        ))()

    def math(self) -> str:
        lines = [f"{self.random.choice(('', '- ', '= ', '+ ', '> '))}{self.words(2)}" for _ in range(3)]
        return "$$\n" + " \\\\\n".join(lines) + "\n$$"

    def fence(self, *, is_open: bool = False) -> str:
        random = self.random
        mark = random.choice(("", "", "", " ", "   ")) + random.choice(("```", "~~~", "````"))
        lines = [
            self.wrap(self.words(30)) if random.random() < 0.7 else "" for _ in range(random.randint(0, 9))
        ]
        body = "\n".join(f"{' ' * random.choice((0, 2, 8))}{line}" for line in lines)
        return f"{mark}{random.choice(('', 'python', ' {.sh}', '&amp;'))}\n{body}" + (
            "" if is_open else f"\n{mark}"
        )

    def indented(self) -> str:
        lines = [self.words() if self.random.random() < 0.8 else "" for _ in range(self.random.randint(1, 9))]
        pads = ("    ", "    ", "\t", "  \t", "      ", "\t\t")
        return "\n" + "\n".join(f"{self.random.choice(pads)}{line}" for line in lines) + "\n"

    def table(self) -> str:
        random = self.random
        width = random.randint(1, 4)
        edge = random.choice(("|", "|", "")) if width > 1 else "|"

        def row(cells: list[str]) -> str:
            return edge + "|".join(f" {cell} " for cell in cells) + edge

        def cell() -> str:
            return random.choice((self.words(3), self.words(3), self.words(12), "", self.table_inline()))

        header = [cell() or self.visible() for _ in range(width)]
        rows = [
            [cell() for _ in range(max(1, width + random.choice((0, 0, 0, 0, -1, 1, 3))))]
            for _ in range(random.choice((0, 2, 5, 30)))
        ]
        shown = [row(each) for each in rows if any(each)]
        marks = ("---", "---", ":-", "-:", " :-: ", "-----------")
        lines = [row(header), edge + "|".join(random.choice(marks) for _ in header) + edge, *shown]
        pad = random.choice(("", "", "", "  "))
        return "\n".join(f"{pad}{line}{random.choice(('', '', ' '))}" for line in lines)

    def table_inline(self) -> str:
        return self.random.choice((
            f"[[{self.hidden()}|{self.words(3)}]]",
            rf"[[{self.hidden()}\|{self.words(3)}]]",
            f"`{self.words(3)}`",
            f"[{self.words(3)}]({self.hidden()}.md)",
            f"**{self.visible()}** <br> {self.visible()}",
            rf"`{self.visible()} \| {self.visible()}` \| {self.visible()}",
            f"![{self.visible()}]({self.visible()}.png) https://{self.visible()}.invalid <!-- {self.hidden()} -->",
            f"{self.visible()}[^{self.random.choice(self.notes)}] ~~{self.visible()}~~ &vert; {self.visible()}",
        ))

    def listing(self, depth: int = 0) -> str:
        random = self.random
        is_ordered, is_loose = random.random() < 0.4, random.random() < 0.3
        bullet, dot, is_lazy = random.choice("-*+"), random.choice(".)"), random.random() < 0.1
        lead, start = " " * random.choice((0, 0, 0, 1, 3)), random.choice((1, 1, 1, 0, 7, 99_999_999))
        items = []
        for number in range(start, start + random.choice((1, 3, 6, 20 if not depth else 2))):
            if random.random() < 0.05:
                items.append(lead + (f"{number}{dot}" if is_ordered else bullet))
                continue
            task = random.choice(("", "[ ] ", "[x] "))
            marker = f"{number}{dot} " if is_ordered else random.choice((f"{bullet} ", f"{bullet}\t"))
            marker = lead + random.choice((marker, marker, marker, f"{marker}  "))
            inner = [self.wrap(self.sentences())] if random.random() < 0.9 else []
            if depth < 3 and random.random() < 0.25:
                inner.append(self.listing(depth + 1))
            if random.random() < 0.15:
                inner.append("\n" + random.choice((*self.leaves, self.quote, self.paragraph))())
            pad = "\t" if marker.endswith("\t") else " " * len(marker)
            lines = ("\n".join(inner) or self.visible()).split("\n")
            indented = [
                line if is_lazy and VISIBLE.match(line) else f"{pad}{line}" if line else ""
                for line in lines[1:]
            ]
            items.append("\n".join([marker + task + lines[0], *indented]))
        return ("\n\n" if is_loose else "\n").join(items)

    def quote(self) -> str:
        random = self.random
        inner = random.choice((
            lambda: self.wrap(self.sentences()),
            lambda: self.quote(),
            lambda: random.choice(self.leaves)(),
            lambda: f"[!tip]- {self.inline()}\n> [!info]\n> {self.words()}",
            lambda: f"[!note] {self.words()}\n{self.wrap(self.sentences())}",
            lambda: f"\n{self.wrap(self.sentences())}\n\n{self.listing(3)}\n",
            lambda: f"> {self.words()}\n> {self.words()}\n\n{self.fence()}",
            lambda: f"{self.words()}\n\n{self.table()}",
            lambda: f"{self.heading()}\n{self.fence(is_open=True)}",
            lambda: f"{self.listing(3)}\n{self.words()}",
        ))()
        mark = random.choice(("> ", "> ", "> ", ">", " > ", ">\t"))
        is_lazy = random.random() < 0.1
        lines = inner.split("\n")
        return "\n".join(
            line if is_lazy and number and VISIBLE.match(line) else f"{mark}{line}".rstrip()
            for number, line in enumerate(lines)
        )

    def html(self) -> str:
        return self.random.choice((
            lambda: (
                f'<div\nclass="{self.hidden()}"\nid="{self.hidden()}">\n{self.wrap(self.sentences(plain=True))}\n</div>\n'
            ),
            lambda: f"<!-- {self.hidden()}\n\n{self.hidden()} -->\n{self.words()}",
            lambda: f"<script>\n{self.hidden()}\n\n{self.hidden()}\n</script>\n",
            lambda: (
                f"<style\ntype='{self.hidden()}'>\n{self.hidden()}\n\n{self.hidden()} </style> {self.visible()}"
            ),
            lambda: f"<textarea>\n{self.words()}\n\n*{self.words()}*</textarea>",
            lambda: f"<?{self.hidden()}\n\n{self.hidden()} ?> {self.visible()}",
            lambda: f"<!DOCTYPE {self.hidden()}\n{self.hidden()}>{self.visible()}",
            lambda: f"<![CDATA[\n{self.words()}\n\n{self.words()} ]]> {self.visible()}",
            lambda: (
                f"<my-tag {self.hidden()}='{self.hidden()}'>\n*{self.words()}*\n\n**{self.words()}**\n</my-tag>\n"
            ),
            lambda: f"</h1>\n{self.words()}\n{self.words()}\n",
            lambda: f"  <!-- {self.hidden()} --> *{self.visible()}*\n{self.words()}",
            lambda: f"<PRE {self.hidden()}>{self.words()}</Pre> *{self.visible()}*\n{self.words()}",
            lambda: f"<dl><dt>{self.words()}\n<dd>{self.words()}\n\n<li>{self.words()}\n",
            lambda: f"<video src='{self.hidden()}'>\n{self.words()}\n</video>\n\n<hr/>\n{self.words()}\n",
            lambda: f"{self.words()}\n<my-tag>\n{self.words()}\n<div>\n{self.words()}\n",
            lambda: f"<pre>\n{self.words()}\n\n  {self.words()}\n</pre>",
            lambda: f"<details><summary>{self.words()}</summary>\n\n{self.words()}\n\n</details>\n",
            lambda: (
                f'<table>\n<tr>\n<td\nwidth="1">{self.words()}</td>\n</tr><tr><td>{self.words()}\n</table>\n'
            ),
            lambda: (
                f'<p><img\nsrc="{self.hidden()}"\nalt="{self.words(3)}\n{self.words(3)}"\n>{self.words()}\n</p>\n'
            ),
        ))()

    def opening(self) -> str:
        return self.random.choice((
            *(lambda: "",) * 8,
            lambda: f"---\ntitle: {self.hidden()}\ntags: [{self.hidden()}]\n---",
            lambda: f"+++\ntitle = '{self.hidden()}'\n+++",
            lambda: "---\n---",
            lambda: (
                f"---\ntitle: {self.hidden()}\nsummary: {self.visible()} {self.visible()}\n  {self.words()}\n---"
            ),
            lambda: (
                f"---\n# {self.words()}\nstep: one\n\n# {self.words()}\nnote: >\n  {self.words()} {self.visible()}\n---"
            ),
            lambda: f"+++\n# {self.words()}\n[extra]\nnote = '{self.visible()} {self.visible()}'\n+++",
            lambda: f"---\n\n# {self.words()}\n\n---\n\n{self.words()}",
            lambda: f"---\n# {self.words()}\n---",
            lambda: f"---\n\n{self.visible()}: {self.words()}\n{self.words()}\n\n---",
            lambda: f"---\n{self.visible()}: {self.words()}\n{self.words()}\n---",
            lambda: f"---\n{self.visible()}: {self.words()}\n\t{self.visible()}: {self.words()}\n---",
            lambda: f"---\n{self.visible()}: {self.words()}: {self.words()}\n---",
            lambda: f"---\nkey: {self.words()}\nkey: {self.words()}\n---",
            lambda: f"---\n- {self.words()}\n- {self.words()}\n---",
            lambda: f"---\n{self.words()}\n---",
            lambda: f"---\nkey: [{self.words()}\n---",
            lambda: f"---\nkey: {self.words()}: {self.words()}",
            lambda: f"+++\nnumber = {'9' * 5000}\nword = '{self.visible()} {self.visible()}'\n+++",
            lambda: (
                f"---\ntitle: {self.hidden()}\nkey: {self.words()}: {self.words()}\ntags: {self.visible()}\n---"
            ),
            lambda: f"+++\n{self.words()}\n+++",
        ))()

    def ending(self) -> str:
        return self.random.choice((
            *(lambda: "",) * 8,
            lambda: self.fence(is_open=True) + "\n" * self.random.randint(0, 3),
            lambda: f"<!-- {self.words()}\n\n{self.words()}",
            lambda: f"<script> {self.words()}\n\n{self.words()}\n",
            lambda: f"<style>\n{self.words()}\n",
            lambda: "> " * 120 + self.words(),
            lambda: "".join(f"{'  ' * depth}- {self.visible()}\n" for depth in range(60)),
        ))()
