"""Archives are read within bounds, whatever they claim."""

import io
import struct
import zipfile

import pytest
from kebab_core import DocumentDamagedError, DocumentTooLargeError
from kebab_parse import open_archive
from kebab_testing.tables import walk


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


@walk("claimed", [0, 1, 999])
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


def _cut_archive(*, streamed: bool) -> bytes:
    """Return an archive of two members that ends in the middle of the second one."""
    out = io.BytesIO()
    with zipfile.ZipFile(_Unseekable(out) if streamed else out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("한글.xml", "first " * 1000)
        archive.writestr("b.xml", bytes(range(256)) * 40)
    content = out.getvalue()
    return content[: content.index(b"b.xml") + 300]


class _Unseekable(io.RawIOBase):
    """A stream that programs write to from front to back, so that sizes stand behind members."""

    def __init__(self, out: io.BytesIO) -> None:
        self._out = out

    def writable(self) -> bool:
        return True

    def write(self, content: bytes) -> int:  # type: ignore[override]
        return self._out.write(content)


@walk("streamed", [False, True])
def test_members_of_an_archive_that_is_cut_are_found_one_by_one(streamed: bool) -> None:
    members = open_archive(_cut_archive(streamed=streamed))
    assert list(members) == ["한글.xml", "b.xml"]
    assert members.warnings == ("the end of the file is missing, and perhaps parts of the document",)
    assert members.salvage("한글.xml") == (members["한글.xml"], True) == (b"first " * 1000, True)
    content, is_whole = members.salvage("b.xml")
    assert (content[:256], is_whole) == (bytes(range(256)), False)
    with pytest.raises(DocumentDamagedError):
        members["b.xml"]


def test_a_member_of_a_cut_archive_that_unpacks_to_too_much_is_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kebab_parse.archive.MAX_UNPACKED_BYTES", 32 << 20)
    out = io.BytesIO()
    with (
        zipfile.ZipFile(_Unseekable(out), "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a", "w") as member,
    ):
        for _ in range(33):
            member.write(bytes(1 << 20))
    members = open_archive(out.getvalue()[:-30])
    with pytest.raises(DocumentTooLargeError):
        members.salvage("a")


def test_what_is_no_archive_has_no_members() -> None:
    with pytest.raises(DocumentDamagedError):
        open_archive(b"PK\3\4 and nothing more")
