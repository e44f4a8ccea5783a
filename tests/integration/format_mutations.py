"""Damaged and hostile documents: every one is made from a sample, a mutation and a seed, and is the same each time."""

from __future__ import annotations

import random
import re
import struct
import zlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.integration.format_samples import read_zip, sample, write_zip

Mutation = Callable[[random.Random, str, bytes], bytes]
_DIGITS = re.compile(rb"\d+")
_XML_TEXT = re.compile(rb">([^<>\s][^<>]*)<")
_NUMBERS = (0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF)
UNCHANGED = "none"
"""Mutation that leaves a sample as it is."""
_BOMB_BYTES = 600 * 1024 * 1024


class Trial(NamedTuple):
    """One document."""

    extension: str
    mutation: str
    seed: int

    @property
    def name(self) -> str:
        """Name of its file."""
        return f"{self.mutation}-{self.seed}.{self.extension}".replace(" ", "-")

    def content(self) -> bytes:
        """Make the document."""
        rng = random.Random(f"{self.extension} {self.mutation} {self.seed}")  # noqa: S311 - no secret
        if self.mutation == UNCHANGED:
            return sample(self.extension)
        return {**MUTATIONS, **BOMBS}[self.mutation](rng, self.extension, sample(self.extension))


def _flip_bits(rng: random.Random, _extension: str, content: bytes) -> bytes:
    out = bytearray(content)
    for _ in range(rng.randint(1, 30)):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def _truncate(rng: random.Random, _extension: str, content: bytes) -> bytes:
    return content[: rng.randrange(1, max(len(content), 2))]


def _cut_out(rng: random.Random, _extension: str, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    return content[:start] + content[start + rng.randint(1, 400) :]


def _repeat(rng: random.Random, _extension: str, content: bytes) -> bytes:
    start = rng.randrange(len(content))
    piece = content[start : start + rng.randint(1, 400)]
    return content[:start] + piece * rng.randint(2, 300) + content[start:]


def _set_sizes(rng: random.Random, _extension: str, content: bytes) -> bytes:
    out = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        number = struct.pack(rng.choice(["<I", "<H"]), rng.choice(_NUMBERS[:4]))
        if rng.random() < 0.5:
            number = struct.pack("<I", rng.choice(_NUMBERS))
        place = rng.randrange(max(len(out) - 4, 1))
        out[place : place + len(number)] = number
    return bytes(out)


def _set_digits(rng: random.Random, _extension: str, content: bytes) -> bytes:
    places = list(_DIGITS.finditer(content))
    for place in sorted(
        rng.sample(places, min(len(places), rng.randint(1, 4))), key=lambda each: -each.start()
    ):
        number = rng.choice([b"0", b"-1", b"65536", b"4294967295", b"99999999999999999999", b"1e308"])
        content = content[: place.start()] + number + content[place.end() :]
    return content


_BYTES: Mapping[str, Mutation] = {
    "bits": _flip_bits,
    "truncated": _truncate,
    "cut": _cut_out,
    "repeated": _repeat,
    "sizes": _set_sizes,
    "digits": _set_digits,
}


def _change_member(rng: random.Random, extension: str, content: bytes) -> bytes:
    if not content.startswith(b"PK"):
        return _BYTES[rng.choice(list(_BYTES))](rng, extension, content)
    members = read_zip(content)
    name = rng.choice([name for name in members if members[name]])
    change = rng.choice([*_BYTES.values(), None])
    if change is None:
        del members[name]
    else:
        members[name] = change(rng, extension, members[name])
    return write_zip(members)


def _with_xml(
    rng: random.Random, content: bytes, change: Callable[[bytes], bytes], *, whole: bool = False
) -> bytes:
    """Return a document with one of its parts of XML changed; of one that is not a ZIP, the whole."""
    if whole or not content.startswith(b"PK"):
        return change(content)
    members = read_zip(content)
    parts = [name for name in members if members[name].lstrip().startswith(b"<")]
    name = rng.choice(parts or [*members])
    members[name] = change(members[name])
    return write_zip(members)


def _declare(content: bytes, entities: bytes, name: bytes) -> bytes:
    start = content.find(b"?>") + 2 if content.startswith(b"<?xml") else 0
    rest = _XML_TEXT.sub(b">&%s;<" % name, content[start:])
    return content[:start] + b"<!DOCTYPE x [%s]>" % entities + rest


def _entity_bomb(rng: random.Random, _extension: str, content: bytes) -> bytes:
    entities = b'<!ENTITY e0 "boom boom ">' + b"".join(
        b'<!ENTITY e%d "%s">' % (level, b"&e%d;" % (level - 1) * 10) for level in range(1, 11)
    )
    return _with_xml(rng, content, lambda xml: _declare(xml, entities, b"e10"))


def _external_entity(rng: random.Random, _extension: str, content: bytes) -> bytes:
    return _with_xml(rng, content, lambda xml: _declare(xml, b'<!ENTITY e SYSTEM "secret.txt">', b"e"))


def _nest_elements(rng: random.Random, extension: str, content: bytes) -> bytes:
    depth = rng.choice([300, 5000, 100_000])

    def deepen(xml: bytes) -> bytes:
        places = list(re.finditer(rb"<([a-zA-Z:]+)[^<>/]*>", xml))
        place = rng.choice(places) if places else None
        if place is None:
            return b"[" * depth + xml + b"]" * depth
        closing = b"</%s>" % place[1]
        return xml[: place.end()] + place[0] * depth + closing * depth + xml[place.end() :]

    if extension in {"pdf", "hwp", "md", "csv", "eml", "mbox", "ics", "vcf", "bib", "url", "rtf", "msg"}:
        opening, closing = rng.choice([
            (b"[", b"]"),
            (b"<<", b">>"),
            (b"> ", b""),
            (b"(", b")"),
            (b"- ", b""),
        ])
        place = rng.randrange(len(content))
        return content[:place] + opening * depth + closing * depth + content[place:]
    return _with_xml(rng, content, deepen)


def _lie(rng: random.Random, extension: str, _content: bytes) -> bytes:
    from tests.integration.format_samples import WRITERS

    return sample(rng.choice([other for other in WRITERS if other != extension]))


def _nest_containers(rng: random.Random, extension: str, content: bytes) -> bytes:
    if extension in {"eml", "mbox"}:
        for number in range(rng.choice([3, 60, 400])):
            head = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b%d\n\n" % number
            content = (
                head + b"--b%d\nContent-Type: message/rfc822\n\n" % number + content + b"\n--b%d--\n" % number
            )
        return content
    inner = content
    for _ in range(rng.choice([1, 5, 40])):
        inner = write_zip({f"a.{extension}": inner})
    members = read_zip(content) if content.startswith(b"PK") else {}
    return write_zip({**members, rng.choice([*members, "a"]): inner})


def _join(rng: random.Random, extension: str, content: bytes) -> bytes:
    other = _lie(rng, extension, content)
    return content + other if rng.random() < 0.5 else other + content


MUTATIONS: Mapping[str, Mutation] = {
    **_BYTES,
    "member": _change_member,
    "members": lambda rng, extension, content: _change_member(
        rng, extension, _change_member(rng, extension, content)
    ),
    "entities": _entity_bomb,
    "external": _external_entity,
    "nested": _nest_elements,
    "containers": _nest_containers,
    "lie": _lie,
    "joined": _join,
}
"""Small ones, by name."""


def _zip_bomb(rng: random.Random, _extension: str, content: bytes) -> bytes:
    if not content.startswith(b"PK"):
        return content + bytes(1 << 20)
    members = read_zip(content)
    name = max(members, key=lambda each: len(members[each]))
    text = members[name]
    place = text.rfind(b"</")
    return write_zip({**members, name: text[:place] + b" " * _BOMB_BYTES + text[place:]})


def _stream_bomb(rng: random.Random, extension: str, content: bytes) -> bytes:
    """Put a long compressed stream into PDF and HWP."""
    if extension == "pdf":
        packed = zlib.compress(b"(boom) Tj " * (_BOMB_BYTES // 10))
        head = b"<</Length %d/Filter/FlateDecode>>stream\n" % len(packed)
        return content.replace(
            b"6 0 obj\n", b"6 0 obj\n" + head + packed + b"\nendstream\nendobj\n11 0 obj\n", 1
        )
    if extension == "hwp":
        from kebab_testing.hangul_files import write_hwp5

        packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = packer.compress(bytes(_BOMB_BYTES)) + packer.flush()
        return write_hwp5(b"", streams={("BodyText", "Section0"): packed})
    return _zip_bomb(rng, extension, content)


BOMBS: Mapping[str, Mutation] = {"zip bomb": _zip_bomb, "stream bomb": _stream_bomb}
"""Those that take a second each to make."""
