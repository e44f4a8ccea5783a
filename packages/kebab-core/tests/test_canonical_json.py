import json
import math
import unicodedata
from pathlib import Path

import pytest
import rfc8785
from hypothesis import assume, given, strategies as st
from kebab_core import InvalidInputError, canonical_json
from kebab_testing.tables import walk

VECTORS = Path(__file__).parent / "vectors" / "rfc8785"
NAMES = ("arrays", "french", "structures", "unicode", "values", "weird")
ALREADY_NFC = ("arrays", "french", "structures", "values")

INTEGERS = st.integers(-(2**53) + 1, 2**53 - 1)
SCALARS = st.none() | st.booleans() | INTEGERS | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def _composed(value: object) -> object:
    """The value with every string in NFC."""
    if isinstance(value, str):
        return unicodedata.normalize("NFC", value)
    if isinstance(value, dict):
        return {_composed(key): _composed(item) for key, item in value.items()}
    return [_composed(item) for item in value] if isinstance(value, list | tuple) else value


def _keys_stay_apart(value: object) -> bool:
    if isinstance(value, dict):
        return len({_composed(key) for key in value}) == len(value) and all(
            map(_keys_stay_apart, value.values())
        )
    return all(map(_keys_stay_apart, value)) if isinstance(value, list) else True


def _input(name: str) -> object:
    return json.loads((VECTORS / "input" / f"{name}.json").read_text("utf-8"))


def _output(name: str) -> bytes:
    return (VECTORS / "output" / f"{name}.json").read_bytes()


@walk("name", NAMES)
def test_the_serialiser_gives_the_published_bytes(name: str) -> None:
    assert rfc8785.dumps(_input(name)) == _output(name)


@walk("name", NAMES)
def test_both_spellings_of_a_published_output_agree(name: str) -> None:
    assert bytes.fromhex((VECTORS / "outhex" / f"{name}.txt").read_text("ascii")) == _output(name)


@walk("name", ALREADY_NFC)
def test_a_vector_in_nfc_gives_the_published_bytes(name: str) -> None:
    assert canonical_json(_input(name)) == _output(name)


def test_the_vector_of_decomposed_text_is_composed_and_otherwise_as_published() -> None:
    published = _output("unicode").decode()
    assert canonical_json(_input("unicode")) == unicodedata.normalize("NFC", published).encode()


def test_the_vector_of_odd_keys_is_sorted_by_what_the_keys_are_after_nfc() -> None:
    # U+FB33 is excluded from composition: its NFC is U+05D3 U+05BC, which sorts before the euro sign.
    keys = list(json.loads(canonical_json(_input("weird"))))
    expected = ["\n", "\r", "1", "</script>", "\x80", "\xf6", "\u05d3\u05bc", "\u20ac", "\U0001f602"]
    assert keys == expected


def test_hangul_in_jamo_and_in_syllables_gives_equal_bytes() -> None:
    name = "검색 규칙.md"
    assert canonical_json({unicodedata.normalize("NFD", name): 1}) == canonical_json({name: 1})


@given(VALUES)
def test_parsing_canonical_bytes_and_writing_them_again_changes_nothing(value: object) -> None:
    try:
        once = canonical_json(value)  # type: ignore[arg-type]
    except InvalidInputError:
        return
    # every JSON number is a double, so one without a fraction may come from a float beyond 2**53
    assert canonical_json(json.loads(once, parse_int=float)) == once


@given(VALUES)
def test_every_value_gives_the_bytes_of_the_serialiser_over_its_nfc(value: object) -> None:
    try:
        expected = rfc8785.dumps(_composed(value))
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        with pytest.raises(InvalidInputError):
            canonical_json(value)  # type: ignore[arg-type]
    else:
        assume(_keys_stay_apart(value))
        assert canonical_json(value) == expected  # type: ignore[arg-type]


@walk("code", [*range(0x80), 0x301, 0x338, 0x1100, 0x1161, 0x2028, 0xFEFF, 0xFFFF, 0x1F602])
def test_a_character_alone_or_before_a_combining_mark_gives_the_bytes_of_the_serialiser(code: int) -> None:
    for text in (chr(code), f"{chr(code)}\u0301", f"{chr(code)}\u0338"):
        value = {"kind": text, "path": [text, text], "n": (1, None, True, -(2**53) + 1)}
        assert canonical_json(value) == rfc8785.dumps(_composed(value))


@given(st.dictionaries(st.text("abcé가", max_size=3), INTEGERS, max_size=6), st.randoms())
def test_the_order_of_keys_does_not_matter(value: dict[str, int], random: object) -> None:
    items = list(value.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert canonical_json(dict(items)) == canonical_json(value)


@given(st.lists(INTEGERS, min_size=2, unique=True))
def test_the_order_of_arrays_does_matter(items: list[int]) -> None:
    assert canonical_json(items) != canonical_json(items[::-1])


NOT_JSON: dict[str, object] = {
    "nan": math.nan,
    "inf": math.inf,
    "too large": 2**53,
    "too small": -(2**53),
    "surrogate": "\ud800",
    "surrogate key": {"a": {"\ud800": 1}},
    "keys equal in NFC": {"a\u030a": 1, "\u00e5": 2},
    "number as key": {1: "one"},
    "object": {"a": object()},
    "set": {"a", "b"},
    "bytes": b"bytes",
    "bytearray": [bytearray(b"bytes")],
    "memoryview": memoryview(b"bytes"),
}


@walk("value", NOT_JSON.values())
def test_what_json_cannot_carry_is_invalid_input(value: object) -> None:
    with pytest.raises(InvalidInputError):
        canonical_json(value)  # type: ignore[arg-type]


def test_tuples_and_lists_are_both_arrays() -> None:
    assert canonical_json((1, ("a",))) == canonical_json([1, ["a"]]) == b'[1,["a"]]'
