"""Known answers. The BLAKE3 values are the first 32 bytes of the cases in BLAKE3's published test_vectors.json."""

from kebab_core import hash_bytes, hash_canonical
from kebab_testing.tables import walk

BLAKE3_BY_LENGTH = {
    0: "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
    1: "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213",
    1023: "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11",
    1024: "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7",
    1025: "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444",
    2048: "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a",
    2049: "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030",
    3072: "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2",
    4096: "015094013f57a5277b59d8475c0501042c0b642e531b0a1c8f58d2163229e969",
    4097: "9b4052b38f1c5fc8b1f9ff7ac7b27cd242487b3d890d15c96a1c25b8aa0fb995",
    7169: "a003fc7a51754a9b3c7fae0367ab3d782dccf28855a03d435f8cfe74605e7817",
}


@walk(("length", "expected"), BLAKE3_BY_LENGTH.items())
def test_bytes_have_their_published_hash(length: int, expected: str) -> None:
    assert hash_bytes(bytes(index % 251 for index in range(length))) == expected


def test_a_value_has_the_hash_of_its_canonical_bytes() -> None:
    assert hash_canonical({"b": 1, "a": "é"}) == hash_bytes('{"a":"é","b":1}'.encode())
