"""Saved web pages of many kinds, in which each piece of text says whether it is text of the page or navigation.

Text has words that begin with `text`, navigation those that begin with `menu`, each with a number of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import count

_MARK = re.compile(r"\b(?:text|menu)\d+\b")


class _Words:
    """Makes pieces of pages with marked words."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def text(
        self, words: str = "이 문장은 페이지의 본문이고 사람이 읽는다. It says something of its own."
    ) -> str:
        return f"text{next(self._numbers)} {words}"

    def paragraphs(self, number: int = 5) -> str:
        return "".join(
            f"<p>{self.text('is a paragraph, long enough to be a part of the article, with commas, and <a href=/x>a link</a>.')}</p>"
            for _ in range(number)
        )

    def link(self, words: str = "other page") -> str:
        return f'<a href="/p/{next(self._numbers)}">menu{next(self._numbers)} {words}</a>'

    def links(self, number: int = 6, tag: str = "ul") -> str:
        return f"<{tag}>{''.join(f'<li>{self.link()}</li>' for _ in range(number))}</{tag}>"


def _news(w: _Words) -> str:
    teasers = "".join(
        f"<div class=c><h3>{w.link('the headline of another article')}</h3><p>Short intro.</p></div>"
        for _ in range(4)
    )
    return (
        f"<header><a href=/>menu0 News</a><nav>{w.links()}</nav></header><div class=breadcrumb>{w.link()} &gt; {w.link()}</div>"
        f"<div id=lead><h1>Bridge opens</h1><p class=lead>{w.text('lead of the article.')}</p></div>"
        f"<div id=body>{w.paragraphs()}<div class=share>{w.link('Facebook')} {w.link('X')}</div>{w.paragraphs(2)}"
        f"<figure><img src=a.png><figcaption>{w.text('the bridge at night')}</figcaption></figure></div>"
        f"<div class=correction><p>{w.text('correction of an earlier version.')}</p></div>"
        f"<section><h2>More</h2>{teasers}</section>"
        f"<footer><p>{w.text('Newsroom, phone 02-123-4567')}</p>{w.links(5)}</footer>"
    )


def _recipe(w: _Words) -> str:
    items = "".join(f"<li>{w.text('g flour')}</li>" for _ in range(5))
    return (
        f"<nav>{w.links()}</nav><div class=post><h1>Bread</h1>{w.paragraphs(8)}</div>"
        f"<div class=ingredients><h2>Ingredients</h2><ul>{items}</ul></div>"
        f"<div class=box><b>{w.text('Warning: hot oven.')}</b></div><div class=time><span>{w.text('90 min')}</span></div>"
        f"<div class=sidebar><h3>Categories</h3>{w.links(8)}</div>"
    )


def _wiki_of_a_firm(w: _Words) -> str:
    return (
        f"<div id=breadcrumbs><ol>{''.join(f'<li>{w.link()}</li>' for _ in range(3))}</ol></div>"
        f"<div class=acs-side-bar><h3>Space</h3>{w.links(9)}</div>"
        f"<div id=main-content><div class=panel><p>{w.text('warning panel')}</p></div>"
        f"<div class=columnLayout><div class=cell>{w.paragraphs(6)}</div><div class='cell aside'><p>{w.text('right cell')}</p></div></div>"
        f"<table><tr><th>Who</th><th>What</th></tr><tr><td>{w.text('Kim')}</td><td>{w.text('deploys')}</td></tr></table>"
        f"<ul><li><a href=/j/1>{w.text('ticket')}</a>: {w.text('is about the deployment of the service')}</li></ul></div>"
        f"<section class=comments><p>{w.text('I agree with this page.')}</p></section>"
    )


def _changelog(w: _Words) -> str:
    versions = "".join(
        f"<section><h2><a href=/releases/{n}>1.{n}</a></h2><p><a href=/c/{n}>Kim</a> released this</p>"
        f"<ul><li>{w.text('fixed the parser')} (<a href=/i/{n}>#{n}</a>)</li><li>{w.text('added a flag')}</li></ul></section>"
        for n in range(9)
    )
    note = f"<div class=related><h2>Upgrading</h2><p>{w.text('see also the notes of the upgrade.')}</p></div>"
    return f"<header><nav>{w.links(4)}</nav></header>{note}<main><h1>Changes</h1>{versions}</main><nav class=pagination>{w.link('next')}</nav>"


def _manual(w: _Words) -> str:
    entries = "".join(
        f"<h3><a href=#f{n}>f{n}()</a></h3><ul><li><code>a</code> <a href=/t>&lt;string&gt;</a> | <a href=/t>&lt;Buffer&gt;</a> |"
        f" <a href=/t>&lt;null&gt;</a> {w.text('x')}</li><li>Returns: <a href=/t>&lt;Object&gt;</a></li></ul><p>{w.text()}</p>"
        for n in range(6)
    )
    contents = "".join(f"<li><a href=#f{n}>menu{n + 900} f{n}()</a></li>" for n in range(6))
    return (
        f"<div class=top>{w.link()} | {w.link()} | {w.link()} | {w.link()}</div>"
        f"<div class=sphinxsidebar><p class=caption><span>Guide</span></p>{w.links(20)}</div>"
        f"<div class=body><h1>Module</h1><div id=toc><h4>Table of contents</h4><ul>{contents}</ul></div>{entries}"
        f"<div class=admonition><p>{w.text('Deprecated since 3.2.')}</p></div>"
        f"<p>{w.text('These tools read the format:')}</p><ul>"
        + "".join(f"<li><a href=http://tool{n}.example>{w.text()}</a></li>" for n in range(4))
        + f"</ul><p>{w.text()}</p></div><div class=related><ul><li>{w.link('previous')}</li><li>{w.link('next')}</li></ul></div>"
    )


def _shop(w: _Words) -> str:
    row = "<tr><td>{}</td><td>{}</td></tr>"
    table = "".join(row.format(w.text("size"), w.text("52,800 won")) for _ in range(3))
    goods = "".join(
        f"<li><h4>{w.link('oak barrel of thirty litres')}</h4><p>700 won</p></li>" for _ in range(4)
    )
    return (
        f"<header role=banner>{w.links(7)}</header><main><h1>Barrel</h1><form class=cart><table>{table}</table><button>Buy</button></form>"
        f"{w.paragraphs(4)}</main><div class=delivery><p>{w.text('Delivery in three days.')}</p></div>"
        f"<ul class=goods>{goods}</ul><div id=cookie-notice><p>menu1 uses cookies. <button>OK</button></p></div>"
        f"<footer><div><h3>Opening hours</h3><p>{w.text('9 to 18')}</p></div><address>{w.text('Seoul')}</address>{w.links(6)}</footer>"
    )


def _forum(w: _Words) -> str:
    posts = "".join(
        f"<div class=post><div class=author><a href=/u/{n}>user{n}</a></div><h3><a href=/t/{n}>Re: {w.text()}</a></h3>"
        f"<div class=body>{w.text('Try to reset the router, then wait until the lamp is green, and open the page again.')}</div></div>"
        for n in range(6)
    )
    return f"<div id=menu>{w.links(8)}</div><h1>Router</h1>{posts}<div class=pager>{w.link('1')} {w.link('2')}</div>"


def _essay(w: _Words) -> str:
    notes = "".join(
        f"<li id=n{n}><a href=/book/{n}>{w.text('title of a cited book')}</a> <a href=#r{n}>↩</a></li>"
        for n in range(5)
    )
    marks = "".join(f"<sup><a id=r{n} href=#n{n}>{n}</a></sup>" for n in range(5))
    second = f"<article><h1>Two</h1><p>{w.text('a second article, a short one.')}</p></article>"
    return (
        f"<article><h1>One</h1>{w.paragraphs(7)}<p>{w.text()}{marks}</p></article>{second}"
        f"<div class=footnotes><h2>Notes</h2><ol>{notes}</ol></div><nav>{w.links(3)}</nav>"
    )


def _blog(w: _Words) -> str:
    return (
        f"<div class=header><h1><a href=/>Blog</a></h1>{w.links(4)}</div><article><header><h1><a href=/self>{w.text('Title')}</a></h1></header>"
        f"{w.paragraphs(5)}<aside><p>{w.text('A remark on the article, in a box.')}</p></aside></article>"
        f"<div class=author><p>{w.text('The author lives in Busan.')}</p></div>"
        f"<div class=another_category><h4>Other posts</h4><table>{''.join(f'<tr><th>{w.link()}</th><td>2024.1.{n}</td></tr>' for n in range(1, 6))}</table></div>"
        f"<aside><h3>Archive</h3>{w.links(12)}</aside>"
        f"<div class=newsletter><p>menu2 every week in your mailbox</p><input type=email><button>Go</button></div>"
    )


def _table_layout(w: _Words) -> str:
    cells = "".join(f"<tr><td>{w.link()}</td></tr>" for _ in range(9))
    return (
        f"<table width=100%><tr><td><table>{cells}</table></td><td><h2>Lab</h2>{w.paragraphs(4)}"
        f"<p>{w.text('The exam is on May 3.')}</p></td></tr></table><center>{w.text('Room 301')}</center>"
    )


def _contact(w: _Words) -> str:
    return (
        f"<ul class=menu>{''.join(f'<li>{w.link()}</li>' for _ in range(5))}</ul><h1>Contact</h1>"
        f"<ul><li>{w.text('02-123-4567')}</li><li><a href=mailto:a@b.c>{w.text('a@b.c')}</a></li></ul><p>{w.text('Open nine to six.')}</p>"
        f"<div role=alert>{w.text('Closed on Monday.')}</div>"
    )


_KINDS: Mapping[str, Callable[[_Words], str]] = {
    "news": _news,
    "recipe": _recipe,
    "wiki of a firm": _wiki_of_a_firm,
    "changelog": _changelog,
    "manual": _manual,
    "shop": _shop,
    "forum": _forum,
    "essay": _essay,
    "blog": _blog,
    "table layout": _table_layout,
    "contact": _contact,
}


def saved_pages() -> dict[str, str]:
    """Return a page of each kind, by its name."""
    return {
        name: f"<!doctype html><html><head><title>{name}</title></head><body>{build(_Words())}</body></html>"
        for name, build in _KINDS.items()
    }


def marked_words(text: str) -> tuple[set[str], set[str]]:
    """Return the marked words of a text: those of the page's own, and those of navigation."""
    found = set(_MARK.findall(text))
    return {word for word in found if word.startswith("text")}, {
        word for word in found if word.startswith("menu")
    }
