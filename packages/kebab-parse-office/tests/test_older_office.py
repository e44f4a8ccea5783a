from __future__ import annotations

import struct
import sys

import pytest
from kebab_core import (
    CanonicalDocument,
    DependencyMissingError,
    DocumentDamagedError,
    DocumentEncryptedError,
    OfficeFormat,
    OfficeMedia,
)
from kebab_parse_office import PresentationExtractor, TextDocumentExtractor
from kebab_testing.documents import make_context
from kebab_testing.hangul_files import write_compound_file

FIB_SIZE, FLAGS, ENCRYPTED = 1472, 10, 0x100


def read(content: bytes, form: OfficeFormat) -> CanonicalDocument:
    context = make_context(content, path=f"a.{form}", media_type=OfficeMedia(format=form))
    extractor = PresentationExtractor if form == "ppt" else TextDocumentExtractor
    return extractor().extract(context, content)


def test_locked_damaged_and_foreign_files_are_told_apart() -> None:
    head = bytearray(FIB_SIZE)
    struct.pack_into("<HH", head, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", head, FLAGS, ENCRYPTED)
    locked = write_compound_file({("WordDocument",): bytes(head), ("0Table",): bytes(64)})
    with pytest.raises(DocumentEncryptedError):
        read(locked, "doc")
    for content in (locked[:700], write_compound_file({("WordDocument",): b"x" * 64}), b"plain"):
        with pytest.raises(DocumentDamagedError):
            read(content, "doc")


def test_without_the_library_the_next_step_is_its_extra_or_another_format(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "office_oxide", None)
    with pytest.raises(DependencyMissingError) as raised:
        read(b"", "doc")
    remedy = raised.value.remedy
    assert remedy is not None
    assert remedy.otherwise is not None
    assert (remedy.name, str(remedy.otherwise.advice)) == (
        "kebab-cli[doc]",
        "open it in its own program and save it as DOCX",
    )
