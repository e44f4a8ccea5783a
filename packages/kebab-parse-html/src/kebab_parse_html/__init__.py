"""Reads HTML, EPUB and e-mail into kebab documents.

It opens no files, makes no chunks and follows no address.

    extractor = HtmlExtractor()
    document = extractor.extract(context, b"<h1>Title</h1><p>Text")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse_html.email_extractor import (
        EMAIL_VERSION as EMAIL_VERSION,
        EmailExtractor as EmailExtractor,
    )
    from kebab_parse_html.epub_extractor import (
        EPUB_VERSION as EPUB_VERSION,
        EpubExtractor as EpubExtractor,
    )
    from kebab_parse_html.evernote_extractor import (
        EvernoteExtractor as EvernoteExtractor,
    )
    from kebab_parse_html.feed_extractor import FeedExtractor as FeedExtractor
    from kebab_parse_html.fiction_book_extractor import FictionBookExtractor as FictionBookExtractor
    from kebab_parse_html.html_extractor import (
        HTML_VERSION as HTML_VERSION,
        HtmlExtractor as HtmlExtractor,
    )

__getattr__, __dir__ = lazy_exports(__name__)
