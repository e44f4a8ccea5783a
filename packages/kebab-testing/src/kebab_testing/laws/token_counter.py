"""What every `TokenCounter` does."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_core import TokenCounter

_text = st.one_of(st.text(), st.text("가나다 abc 12\n.,漢かé😀"))
_shared = settings(suppress_health_check=[HealthCheck.differing_executors], deadline=None, derandomize=True)


class TokenCounterLaws:
    """Subclass it as `Test…` and return a counter."""

    def make_token_counter(self) -> TokenCounter:
        """Return the counter under test."""
        raise NotImplementedError

    def test_label_names_the_estimate_and_its_version(self) -> None:
        assert self.make_token_counter().label.rpartition("-v")[2].isdigit()

    def test_white_space_counts_nothing(self) -> None:
        assert self.make_token_counter().count("") == self.make_token_counter().count(" \n\t ") == 0

    @_shared
    @given(_text)
    def test_text_with_visible_characters_counts_something(self, text: str) -> None:
        count = self.make_token_counter().count(text)
        assert count >= 0
        if any(char.isprintable() and not char.isspace() for char in text):
            assert count > 0

    @_shared
    @given(_text, _text)
    def test_appending_never_lowers_the_count(self, text: str, more: str) -> None:
        counter = self.make_token_counter()
        assert counter.count(text + more) >= counter.count(text)

    @_shared
    @given(_text, _text)
    def test_the_whole_counts_at_most_one_more_than_its_halves(self, first: str, second: str) -> None:
        counter = self.make_token_counter()
        assert counter.count(first + second) <= counter.count(first) + counter.count(second) + 1
