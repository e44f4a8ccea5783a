from hypothesis import given, strategies as st
from kebab_embed_local.embedder import cut_windows, plan_batches

LENGTHS = st.lists(st.integers(1, 600), max_size=60)


@given(LENGTHS, st.integers(1, 2000))
def test_every_text_is_in_one_batch(lengths: list[int], batch_tokens: int) -> None:
    batches = plan_batches(lengths, batch_tokens=batch_tokens)
    assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 2000))
def test_batch_with_its_padding_keeps_to_the_limit_unless_one_text_is_longer(
    lengths: list[int], batch_tokens: int
) -> None:
    for batch in plan_batches(lengths, batch_tokens=batch_tokens):
        widest = max(lengths[at] for at in batch)
        assert len(batch) == 1 or len(batch) * widest <= batch_tokens


def test_short_texts_go_together_and_long_ones_alone() -> None:
    assert plan_batches([400, 10, 410, 20, 15], batch_tokens=512) == [[2], [0], [3, 4, 1]]


@given(st.lists(st.integers(), max_size=300), st.integers(1, 50))
def test_windows_together_are_the_text(tokens: list[int], room: int) -> None:
    windows = list(cut_windows(tokens, room=room))
    assert [token for window in windows for token in window] == tokens
    assert all(len(window) <= room for window in windows)


@given(st.lists(st.integers(), min_size=1, max_size=300), st.integers(1, 50))
def test_windows_are_as_few_as_can_be_and_equally_long(tokens: list[int], room: int) -> None:
    lengths = [len(window) for window in cut_windows(tokens, room=room)]
    assert len(lengths) == -(-len(tokens) // room)
    assert max(lengths) - min(lengths) <= 1


def test_text_without_tokens_is_one_empty_window() -> None:
    assert list(cut_windows([], room=5)) == [[]]
