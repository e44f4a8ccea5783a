import json
import unicodedata

from hypothesis import given, strategies as st
from kebab_text import escape_unseen, visible


@given(st.text())
def test_what_is_unseen_shows_in_its_place_and_words_stay(text: str) -> None:
    shown = visible(text)

    assert len(shown) == len(text)
    for before, after in zip(text, shown, strict=True):
        if before.isprintable() or before in "\n\t" or unicodedata.category(before) in {"Zs", "Cn", "Co"}:
            assert after == before
        elif unicodedata.category(before) in {"Cc", "Cs", "Zl", "Zp"} or unicodedata.bidirectional(before) in {
            "LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI", "AL",
        }:  # fmt: skip
            assert after == "\ufffd"


@given(st.text())
def test_json_holds_what_is_unseen_as_escapes_of_the_same_value(text: str) -> None:
    written = escape_unseen(json.dumps(text, ensure_ascii=False))
    assert json.loads(written) == text
    assert visible(written) == written


def test_marks_tags_and_separators_are_shown() -> None:
    assert visible("a\u202eb\u2028c\ufeffd\U000e0041e\x1b[31m") == "a�b�c�d�e�[31m"


def test_joiners_and_soft_hyphens_belong_to_words() -> None:
    assert visible("na\u00adive می\u200cخواهم 👩\u200d👧") == "na\u00adive می\u200cخواهم 👩\u200d👧"
