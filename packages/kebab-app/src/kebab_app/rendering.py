"""Pages of PDFs and pictures as PNG, with what is cited marked; drawn in a worker process with the limits of extraction."""

from __future__ import annotations

import struct
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from kebab_core import (
    PAGE_DPI,
    DocumentNotFoundError,
    KebabError,
    OperationTimeoutError,
    PageCitation,
    PageSize,
    PageSpan,
    Rectangle,
    RegionCitation,
    RegionSpan,
    Remedy,
    StorageError,
    UnsupportedMediaError,
)
from kebab_documents import find_lines

from kebab_app.documents import find_address, inspect_document

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kebab_core import IndexedDocument, MediaKind
    from kebab_documents import FoundAddress
    from kebab_parse_pdf import PageWord
    from kebab_runtime import TaskLimits, WorkerPool

    from kebab_app.knowledge_base import KnowledgeBase
    from kebab_app.word_places import SoughtWords

_SCALES: Mapping[MediaKind, float] = {"pdf": 2.0, "image": 1.0}
"""What can be drawn, and how large without a scale."""
_POINTS_PER_INCH = 72
_POINTS = _POINTS_PER_INCH / PAGE_DPI
"""Points of a pixel of a scanned page."""
_PNG_SIZE = struct.Struct(">II")
_PNG_SIZE_AT = 16


@dataclass(frozen=True, kw_only=True)
class RenderedPage:
    """A page, or a picture, as a PNG, or in few bytes where that was asked for."""

    address: str
    """Of what is cited."""
    name: str
    """Name of the document's file without its extension."""
    page: int
    png: bytes
    size: PageSize
    """Size of the page in points, or of the upright picture in pixels."""
    rectangles: tuple[Rectangle, ...]
    """What is cited, in the unit of the size; none where a whole page or picture is cited."""
    word_rectangles: tuple[Rectangle, ...]
    """The words that were sought, on the page or in the picture."""

    @property
    def media_type(self) -> str:
        """Media type of `png`, which is a WebP where a page with colours was asked for in few bytes."""
        return "image/png" if self.png.startswith(b"\x89PNG") else "image/webp"

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of a PNG."""
        width, height = _PNG_SIZE.unpack_from(self.png, _PNG_SIZE_AT)
        return width, height


class _Drawing(NamedTuple):
    media: MediaKind
    content: bytes
    page: int
    passwords: Sequence[str]
    limits: TaskLimits
    page_words: Sequence[PageWord]
    """Sought words in the text of a page."""
    words: Sequence[Rectangle] = ()
    """Those that were recognised."""
    rectangles: Sequence[Rectangle] = ()
    is_marked: bool = False
    scale: float | None = None
    """None finds the words of a page without drawing it."""
    max_width: int | None = None
    is_small: bool = False


class _Drawn(NamedTuple):
    png: bytes
    size: PageSize
    words: tuple[Rectangle, ...]


class PageDrawer:
    """A worker process that draws one page after another; the first starts it, and `close` ends it.

    It is for one thread at a time.
    """

    def __init__(self) -> None:
        self._pool: WorkerPool[_Drawing, _Drawn] | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process; the next page starts one anew."""
        self._open.close()
        self._pool = None

    def draw(self, drawing: _Drawing) -> _Drawn:
        """Draw a page.

        Raises:
            KebabError: It cannot be drawn within its limits.
        """
        from kebab_runtime import WorkerPool

        if self._pool is None:
            self._pool = self._open.enter_context(WorkerPool(_build_worker, count=1))
        (drawn,) = self._pool.run_all([(drawing, drawing.limits)])
        if isinstance(drawn, KebabError):
            _add_remedy(drawn)
            raise drawn
        return drawn


def render_page(
    base: KnowledgeBase,
    address: str | FoundAddress,
    *,
    scale: float | None = None,
    max_width: int | None = None,
    marked: bool = True,
    is_small: bool = False,
    drawer: PageDrawer | None = None,
    sought: SoughtWords | None = None,
) -> RenderedPage:
    """Draw the page of a PDF or a picture with what an address cites on it marked; the first page for an address without one.

    Args:
        base: The knowledge base.
        address: What is cited, or its address.
        scale: Pixels for a point of a page, or for a pixel of a picture; None is 2, which is 144 dpi, for a page, and 1 for a picture.
        max_width: Pixels of a row at most; None is any.
        marked: Whether what is cited is marked in the picture; its rectangles are returned in any case.
        is_small: Whether a page of a PDF, unmarked, comes in few bytes; see `kebab_parse_image.encode_small`.
        drawer: Process that draws; None starts one for this page.
        sought: Words of the cited lines that are marked, too.

    Raises:
        InvalidInputError: It is no address, or the document has no such page.
        AmbiguousAddressError: It names several documents.
        UnsupportedMediaError: It is neither a PDF nor a picture of pixels.
        DocumentDamagedError: The page cannot be drawn.
        DocumentEncryptedError: None of the passwords in the settings opens the PDF.
        OperationTimeoutError: Drawing takes longer than extraction may take.
        StorageError: The content of the file is gone, or memory is short.
        DocumentNotFoundError: It names no document, or one that was removed meanwhile.
    """
    found = find_address(base, address) if isinstance(address, str) else address
    document = found.document
    if document.media not in _SCALES:
        raise UnsupportedMediaError(
            "{address} is {media}: only pages of PDFs and pictures can be drawn",
            remedy=Remedy(kind="fetch_address", document=found.address),
            _address=found.address,
            media=document.media,
        )
    page = found.page or 1
    rectangles = find_rectangles(base, found)
    words, page_words = _find_sought(base, found, page, sought) if sought else ((), ())
    drawing = _read_page(base, document, page, page_words)._replace(
        rectangles=rectangles,
        words=words,
        is_marked=marked,
        scale=scale or _SCALES[document.media],
        max_width=max_width,
        is_small=is_small,
    )
    if drawer is None:
        with PageDrawer() as own:
            drawn = own.draw(drawing)
    else:
        drawn = drawer.draw(drawing)
    return RenderedPage(
        address=found.address,
        name=document.doc_path.stem,
        page=drawing.page,
        png=drawn.png,
        size=drawn.size,
        rectangles=rectangles,
        word_rectangles=drawn.words,
    )


def find_words_on_page(
    base: KnowledgeBase,
    document: IndexedDocument,
    page: int,
    words: Sequence[PageWord],
    *,
    drawer: PageDrawer,
) -> tuple[Rectangle, ...]:
    """Return where words stand in the text of a page of a PDF, in points. Raises like `render_page`.

    Args:
        base: The knowledge base.
        document: The PDF.
        page: From 1.
        words: See `DocumentView.page_words`.
        drawer: Process that reads the page.
    """
    return drawer.draw(_read_page(base, document, page, words)).words if words else ()


def _read_page(
    base: KnowledgeBase, document: IndexedDocument, page: int, words: Sequence[PageWord]
) -> _Drawing:
    """Prepare a page of a document, with words to find in its text.

    Raises:
        DocumentNotFoundError: The document was removed meanwhile.
    """
    from kebab_runtime import TaskLimits

    asset = base.index.documents.get_asset(document.doc_id)
    if asset is None:
        raise DocumentNotFoundError(
            "no document has the address {address!r}",
            remedy=Remedy(kind="list_documents"),
            address=document.to_address(),
        )
    settings = base.loaded.settings.ingest
    return _Drawing(
        media=document.media,
        content=base.index.documents.read_asset(asset.asset_id),
        page=page,
        passwords=[each.get_secret_value() for each in settings.pdf.passwords],
        limits=TaskLimits(cpu_s=settings.extract_timeout_s, memory_mb=settings.extract_memory_mb),
        page_words=words,
    )


def _find_sought(
    base: KnowledgeBase, found: FoundAddress, page: int, sought: SoughtWords
) -> tuple[tuple[Rectangle, ...], Sequence[PageWord]]:
    """Find the sought words of the cited lines, of a whole document on the page that is drawn.

    Returns:
        The places of those that were recognised, and those that stand in the text of a page.
    """
    from kebab_app.word_places import find_chars, find_cited_texts, find_page_words, find_words

    blocks = inspect_document(base, found.document.doc_id).blocks
    words = find_words(base, dict(find_cited_texts(found, blocks, page=page)), sought)
    recognised = find_word_rectangles(base, found.document, find_chars(blocks, words))
    return recognised, find_page_words(blocks, words, page=page)


def _add_remedy(error: KebabError) -> None:
    """Add to an error of the worker process what to do about it."""
    if error.remedy is None and isinstance(error, OperationTimeoutError):
        error.remedy = Remedy(kind="raise_setting", setting="ingest.extract_timeout_s")
    elif error.remedy is None and isinstance(error, StorageError):
        error.remedy = Remedy(kind="raise_setting", setting="ingest.extract_memory_mb")


def find_rectangles(base: KnowledgeBase, found: FoundAddress) -> tuple[Rectangle, ...]:
    """Return the rectangles of what is cited.

    On a page those of the citation, else of the blocks with its characters; of a region the lines that were read there, else the
    region itself. In points of a page, pixels of a picture.
    """
    match found.citation:
        case RegionCitation() as cited:
            scale = 1 if found.document.media == "image" else _POINTS
            text = base.index.documents.get_text(found.document.doc_id)
            lines = find_lines(text.find_page(cited.page) if text else (), cited)
            spans = [each.source_span for each in lines]
            regions = [each for each in spans if isinstance(each, RegionSpan) and each.char_start is not None]
            return tuple(_scale(each, scale) for each in regions or [cited])
        case PageCitation(char_end=int()) as page if page.rectangles is not None:
            return page.rectangles
        case PageCitation(char_end=int()):
            blocks = inspect_document(base, found.document.doc_id).blocks
            places = [block.source_span for block in blocks if found.holds(block.source_span)]
            return tuple(
                dict.fromkeys(
                    each for span in places if isinstance(span, PageSpan) for each in span.rectangles or ()
                )
            )
    return ()


def find_word_rectangles(
    base: KnowledgeBase, document: IndexedDocument, wanted: Sequence[tuple[int, int]]
) -> tuple[Rectangle, ...]:
    """Return the rectangles of recognised words, in the unit of `find_rectangles`.

    Args:
        base: The knowledge base.
        document: The document.
        wanted: Ranges of code points of its whole text; words that share one with them are found.
    """
    if not wanted:
        return ()
    from kebab_app.word_places import find_word_regions

    scale = 1 if document.media == "image" else _POINTS
    return tuple(_scale(each, scale) for each in find_word_regions(base, document.doc_id, wanted))


def _scale(region: RegionSpan, scale: float) -> Rectangle:
    x, y, w, h = (round(each * scale) for each in (region.x, region.y, region.w, region.h))
    return Rectangle(x=x, y=y, w=w, h=h)


def _build_worker() -> Callable[[_Drawing], _Drawn]:
    """Build the function that draws pages in a worker process."""
    return _draw


def _draw(drawing: _Drawing) -> _Drawn:
    rectangles, words = drawing.rectangles, tuple(drawing.words)
    if drawing.media == "image":
        from kebab_parse_image import draw_picture

        picture = draw_picture(
            drawing.content,
            drawing.page,
            rectangles=rectangles if drawing.is_marked else (),
            words=words if drawing.is_marked else (),
            scale=drawing.scale or 1,
            max_width=drawing.max_width,
        )
        return _Drawn(picture.png, PageSize(width=picture.width, height=picture.height), words)
    from kebab_parse_pdf import draw_page, find_page_words, page_sizes, render_page as draw

    sizes = page_sizes(drawing.content, passwords=drawing.passwords)
    width, height = sizes[min(drawing.page, len(sizes)) - 1]
    size = PageSize(width=round(width), height=round(height))
    words += find_page_words(drawing.content, drawing.page, drawing.page_words, passwords=drawing.passwords)
    scale = drawing.scale
    if scale is None:
        return _Drawn(b"", size, words)
    if drawing.max_width is not None:
        scale = min(scale, drawing.max_width / max(width, 1))
    if drawing.is_small:
        from kebab_parse_image import encode_small

        drawn = draw_page(
            drawing.content, drawing.page, dpi=scale * _POINTS_PER_INCH, passwords=drawing.passwords
        )
        return _Drawn(encode_small(drawn), size, words)
    png = draw(
        drawing.content,
        drawing.page,
        rectangles=rectangles if drawing.is_marked else (),
        words=words if drawing.is_marked else (),
        scale=scale,
        passwords=drawing.passwords,
    )
    return _Drawn(png, size, words)
