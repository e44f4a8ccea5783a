"""Laws of `NliVerifier`: entailment of one text by another."""

from __future__ import annotations

import math

import pytest
from kebab_core import ContextOverflowError, Entailment, NliVerifier

WORDS = (
    "the",
    "cat",
    "sleeps",
    "at",
    "noon",
    "tax",
    "return",
    "is",
    "due",
    "in",
    "may",
    "고양이는",
    "낮에",
    "잔다",
    "세금",
    "신고는",
    "오월까지",
    "한다",
)
"""What a verifier under these laws has to understand."""
ENTAILED = (("The cat sleeps at noon.", "The cat sleeps."), ("고양이는 낮에 잔다.", "고양이는 잔다."))
OPEN = (
    ("The cat sleeps at noon.", "The tax return is due."),
    ("고양이는 낮에 잔다.", "세금 신고는 오월까지 한다."),
)


class NliVerifierLaws:
    """Subclass it and override `make_verifier`; `window_tokens` is the length of its window."""

    window_tokens = 32

    def make_verifier(self) -> NliVerifier:
        """Give a verifier that understands `WORDS`."""
        raise NotImplementedError

    def test_no_pairs_are_no_results(self) -> None:
        assert self.make_verifier().verify([]) == []

    def test_each_pair_has_its_result_in_order(self) -> None:
        found = self.make_verifier().verify([*ENTAILED, *OPEN, *ENTAILED])
        assert [each.entailment > 0.5 for each in found] == [True, True, False, False, True, True]

    def test_probabilities_sum_to_one(self) -> None:
        for each in self.make_verifier().verify([*ENTAILED, *OPEN]):
            assert math.isclose(each.entailment + each.neutral + each.contradiction, 1, abs_tol=1e-6)

    def test_a_result_does_not_depend_on_the_pairs_beside_it(self) -> None:
        verifier = self.make_verifier()
        pairs = [*ENTAILED, *OPEN, ("noon " * 40, "The cat sleeps.")]
        together = verifier.verify(pairs)
        alone = [verifier.verify([pair])[0] for pair in pairs]
        assert [_rounded(each) for each in together] == [_rounded(each) for each in alone]

    def test_a_text_entails_itself_and_nothing_entails_from_no_text(self) -> None:
        itself, nothing = self.make_verifier().verify([
            ("The cat sleeps.", "The cat sleeps."),
            ("", "The cat sleeps."),
        ])
        assert itself.entailment > 0.5 > nothing.entailment

    @pytest.mark.parametrize("before", [0, 1, 2, 7])
    def test_support_anywhere_in_a_long_premise_counts(self, before: int) -> None:
        filling = "the tax return is due " * self.window_tokens
        premise = f"{filling * before}the cat sleeps at noon {filling * (7 - before)}"
        (found,) = self.make_verifier().verify([(premise, "The cat sleeps.")])
        assert found.entailment > 0.5

    def test_a_hypothesis_that_leaves_no_room_is_refused(self) -> None:
        with pytest.raises(ContextOverflowError):
            self.make_verifier().verify([("The cat sleeps.", "the cat " * self.window_tokens)])

    def test_halves_of_surrogate_pairs_are_taken(self) -> None:
        (found,) = self.make_verifier().verify([("The cat sleeps \udc80 at noon.", "The cat sleeps.")])
        assert found.entailment > 0.5

    def test_the_model_has_a_name(self) -> None:
        assert self.make_verifier().model_ref().id


def _rounded(found: Entailment) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in (found.entailment, found.neutral, found.contradiction))
