"""What every `Extractor` does."""

from __future__ import annotations

import unicodedata

import pytest
from kebab_core import (
    Block,
    CanonicalDocument,
    CodeBlock,
    Extractor,
    HeadingBlock,
    LineSpan,
    ListBlock,
    MediaType,
    OtherMedia,
    ProvenanceKind,
    TableBlock,
    UnsupportedMediaError,
    document_id_for,
    shorten_label,
)

from kebab_testing.documents import make_context


class ExtractorLaws:
    """Subclass it as `Test…` and say what is under test."""

    def make_extractor(self) -> Extractor:
        """Return a new extractor."""
        raise NotImplementedError

    def media_type(self) -> MediaType:
        """Return a medium it reads."""
        raise NotImplementedError

    def samples(self) -> list[bytes]:
        """Return files it reads."""
        raise NotImplementedError

    def not_its_medium(self) -> bytes:
        """Return bytes that are not of its medium, whatever the name says."""
        return b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20

    def test_extractor_supports_its_medium_and_no_unknown_one(self) -> None:
        assert self.make_extractor().supports(self.media_type())
        assert not self.make_extractor().supports(OtherMedia(label="xyz"))

    def test_extracting_twice_gives_equal_documents(self) -> None:
        for content in self.samples():
            assert self._extract(content) == self._extract(content)

    def test_document_has_the_id_of_its_content_path_and_parser(self) -> None:
        for content in self.samples():
            context = make_context(content, media_type=self.media_type())
            document = self._extract(content)
            assert document.doc_id == document_id_for(
                workspace_path=context.asset.workspace_path,
                asset_id=context.asset.asset_id,
                parser_version=document.parser_version,
                source_id=context.source_id,
            )
            assert document.source_asset_id == context.asset.asset_id
            assert document.title

    def test_block_ids_are_unique_and_spans_inside_the_file_in_order(self) -> None:
        for content in self.samples():
            document = self._extract(content)
            blocks = document.blocks
            assert len({block.block_id for block in blocks}) == len(blocks)
            spans = [block.source_span for block in blocks if isinstance(block.source_span, LineSpan)]
            assert [span.start for span in spans] == sorted(span.start for span in spans)
            text = content if document.text is None else document.text.text.encode()
            last = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n").count(b"\n") + 1
            assert all(span.end <= last for span in spans)

    def test_texts_are_nfc_and_headings_end_their_own_path(self) -> None:
        for content in self.samples():
            for block in self._extract(content).blocks:
                assert all(unicodedata.is_normalized("NFC", text) for text in _texts(block))
                if isinstance(block, HeadingBlock):
                    assert block.heading_path[-1] == shorten_label(block.text)

    def test_provenance_says_discovered_then_parsed(self) -> None:
        for content in self.samples():
            events = self._extract(content).provenance.events
            kinds = [event.kind for event in events]
            assert kinds[:2] == [ProvenanceKind.DISCOVERED, ProvenanceKind.PARSED]
            assert events[0].agent == "finder"

    def test_bytes_of_another_medium_are_refused(self) -> None:
        with pytest.raises(UnsupportedMediaError):
            self._extract(self.not_its_medium())

    def _extract(self, content: bytes) -> CanonicalDocument:
        return self.make_extractor().extract(make_context(content, media_type=self.media_type()), content)


def _texts(block: Block) -> list[str]:
    if isinstance(block, CodeBlock):
        return [block.code]
    if isinstance(block, ListBlock):
        return [item.text for item in block.items]
    if isinstance(block, TableBlock):
        return [*block.headers, *(cell for row in block.rows for cell in row)]
    return [getattr(block, "text", "")]
