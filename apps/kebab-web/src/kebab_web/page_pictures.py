"""Pictures of pages of PDFs, kept while there is room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from kebab_app import PageDrawer, find_words_on_page, render_page
from kebab_core import KebabError

if TYPE_CHECKING:
    from kebab_app import App, DocumentView, RenderedPage
    from kebab_core import Rectangle

MAX_WIDTH = 2400
"""Pixels of a row at most."""
_ROOM = 32 << 20
"""Bytes of the pictures that are kept."""
_SCALE = 4.0
"""Pixels of a point at most."""


class PagePictures:
    """Draws pages, one at a time, without marks; what was drawn last is kept.

    Args:
        app: The knowledge base.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        self._drawing = threading.Lock()
        self._kept: OrderedDict[tuple[str, int, int], RenderedPage] = OrderedDict()
        self._drawer = PageDrawer()

    def close(self) -> None:
        """End the process that draws; the next page starts one anew."""
        with self._drawing:
            self._drawer.close()

    def draw(self, doc_id: str, page: int, *, width: int) -> RenderedPage:
        """Return a page of a document in few bytes.

        Args:
            doc_id: The document.
            page: From 1.
            width: Pixels of a row; at most `MAX_WIDTH`.

        Raises:
            KebabError: See `kebab_app.render_page`.
        """
        key = (doc_id, page, min(max(width, 100), MAX_WIDTH))
        with self._drawing:
            picture = self._kept.pop(key, None)
            if picture is None:
                picture = render_page(
                    self._app.base,
                    f"{doc_id}#p={page}",
                    scale=_SCALE,
                    max_width=key[2],
                    marked=False,
                    is_small=True,
                    drawer=self._drawer,
                )
            self._kept[key] = picture
            while sum(len(each.png) for each in self._kept.values()) > _ROOM and len(self._kept) > 1:
                self._kept.popitem(last=False)
        return picture

    def find_words(self, view: DocumentView) -> tuple[Rectangle, ...]:
        """Return where the marked words stand on the page that is shown, in points; none where it cannot be read."""
        if not view.page_words or view.page is None:
            return ()
        with self._drawing, suppress(KebabError):
            return find_words_on_page(
                self._app.base, view.document, view.page, view.page_words, drawer=self._drawer
            )
        return ()
