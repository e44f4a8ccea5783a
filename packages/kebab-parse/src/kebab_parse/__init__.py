"""What extractors of all formats share: encodings, blocks with their places, metadata, titles, languages, archives.

It knows no format. An extractor of a format without lines is an `IsolatedExtractor`, and writes what it reads with a
`TextWriter`.

    >>> from kebab_parse import decode_text
    >>> decode_text("회의록".encode("cp949")).text
    '회의록'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_parse.archive import ArchiveMembers as ArchiveMembers, open_archive as open_archive
    from kebab_parse.assembly import (
        NO_TEXT as NO_TEXT,
        BlockBuilder as BlockBuilder,
        BlockPlace as BlockPlace,
        add_notes as add_notes,
        assemble_document as assemble_document,
        identify_document as identify_document,
    )
    from kebab_parse.character_statistics import (
        FREQUENCY_FILE as FREQUENCY_FILE,
        WITHOUT_COUNTS as WITHOUT_COUNTS,
        find_script as find_script,
    )
    from kebab_parse.counted_time import show_counted_time as show_counted_time
    from kebab_parse.decoding import (
        TextPieces as TextPieces,
        decode_text as decode_text,
        normalize_text as normalize_text,
    )
    from kebab_parse.encoding_detection import DecodedText as DecodedText, score_encodings as score_encodings
    from kebab_parse.escapes import decode_escapes as decode_escapes, decode_references as decode_references
    from kebab_parse.isolated_extractor import (
        MAX_DERIVED_TITLE_CHARS as MAX_DERIVED_TITLE_CHARS,
        IsolatedExtractor as IsolatedExtractor,
        TitleLanguageSample as TitleLanguageSample,
        language_of as language_of,
        prose_of as prose_of,
        read_given_title as read_given_title,
        sample_opening as sample_opening,
    )
    from kebab_parse.json_stream import JsonStream as JsonStream
    from kebab_parse.metadata import DocumentFacts as DocumentFacts, build_metadata as build_metadata
    from kebab_parse.png_encoding import encode_png as encode_png
    from kebab_parse.recognised_text import (
        PARAGRAPH_BREAK as PARAGRAPH_BREAK,
        RecognisedParagraph as RecognisedParagraph,
        build_caption as build_caption,
        build_paragraphs as build_paragraphs,
    )
    from kebab_parse.signatures import COMPOUND_FILE as COMPOUND_FILE, find_media as find_media
    from kebab_parse.tables import (
        TableCell as TableCell,
        join_headers as join_headers,
        split_header as split_header,
        spread_cells as spread_cells,
    )
    from kebab_parse.text_writer import (
        Item as Item,
        TextWriter as TextWriter,
        mark_power as mark_power,
        roman_numeral as roman_numeral,
        split_lines as split_lines,
    )
    from kebab_parse.void_elements import VOID_ELEMENTS as VOID_ELEMENTS
    from kebab_parse.xml import (
        MAX_HUGE_DEPTH as MAX_HUGE_DEPTH,
        cut_member as cut_member,
        describe_damage as describe_damage,
        has_entities as has_entities,
        lost_member as lost_member,
        parse_xml as parse_xml,
    )

__getattr__, __dir__ = lazy_exports(__name__)
