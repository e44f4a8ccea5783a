"""Documents of an index: found by address, and read word for word.

Works over the Protocols of `kebab_core`; opens no database and no file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kebab_core import lazy_exports

if TYPE_CHECKING:
    from kebab_documents.address_lookup import (
        AddressLookup as AddressLookup,
        FilePlace as FilePlace,
        FoundAddress as FoundAddress,
    )
    from kebab_documents.catalogue import (
        Facet as Facet,
        Grouping as Grouping,
        count_documents as count_documents,
    )
    from kebab_documents.code_calls import CallSearch as CallSearch
    from kebab_documents.document_parts import (
        DocumentParts as DocumentParts,
        cite_span as cite_span,
        find_lines as find_lines,
        is_in_part as is_in_part,
    )
    from kebab_documents.document_reader import DocumentReader as DocumentReader
    from kebab_documents.links import (
        LinkResolver as LinkResolver,
        Links as Links,
        Showing as Showing,
        group_by_target as group_by_target,
    )
    from kebab_documents.literal_search import (
        LiteralDocument as LiteralDocument,
        LiteralLine as LiteralLine,
        LiteralResult as LiteralResult,
        find_literal as find_literal,
        name_columns as name_columns,
    )
    from kebab_documents.name_search import (
        FoundName as FoundName,
        NameIndex as NameIndex,
        NameMatch as NameMatch,
    )
    from kebab_documents.related import RelatedDocuments as RelatedDocuments, RelatedFinder as RelatedFinder
    from kebab_documents.relations import RelatedDocument as RelatedDocument, Relation as Relation
    from kebab_documents.stored_text import (
        read_passage as read_passage,
        read_stored_text as read_stored_text,
        read_text as read_text,
    )

__getattr__, __dir__ = lazy_exports(__name__)
