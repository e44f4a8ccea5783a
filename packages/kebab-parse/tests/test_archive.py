"""Archives are read within bounds, whatever they claim."""

import io
import struct
import zipfile

import pytest
from kebab_core import DocumentDamagedError, DocumentTooLargeError
from kebab_parse import open_archive


def _write(content: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", content)
    return out.getvalue()


def test_members_are_unpacked() -> None:
    assert dict(open_archive(_write(b"text"))) == {"a.xml": b"text"}
    assert dict(open_archive(_write(b""))) == {"a.xml": b""}


def test_a_member_that_claims_more_than_is_read_is_not_unpacked() -> None:
    content = _write(bytes(1000)).replace(struct.pack("<I", 1000), struct.pack("<I", 600 << 20))
    with pytest.raises(DocumentTooLargeError):
        open_archive(content)["a.xml"]


@pytest.mark.parametrize("claimed", [0, 1, 999])
def test_a_member_that_holds_more_than_it_claims_is_damaged(claimed: int) -> None:
    content = _write(bytes(1000)).replace(struct.pack("<I", 1000), struct.pack("<I", claimed))
    with pytest.raises(DocumentDamagedError):
        open_archive(content)["a.xml"]


def test_a_member_without_a_name_is_a_member() -> None:
    content = _write(b"text").replace(b"a.xml", b"\0.xml")  # zipfile cuts names at NUL
    assert dict(open_archive(content)) == {"": b"text"}


def test_names_in_the_encoding_of_an_old_program_are_read() -> None:
    content = _write(b"text").replace(b"a.xml", "본a".encode("cp949") + b".c")
    assert dict(open_archive(content)) == {"본a.c": b"text"}
