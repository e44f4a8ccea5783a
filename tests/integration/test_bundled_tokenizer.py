import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from kebab_core import Remedy
from kebab_embed_local import UnigramTokenizer
from kebab_model_e5_small import files
from kebab_testing.families import examples
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

from tests.integration.charsmap import pack_charsmap
from tests.integration.piece_table import PieceTable, read_piece_table
from tests.integration.tokenizer_texts import EMOJI, JAMO, SPACES, SPECIAL, Texts

FOLDER = files()
if FOLDER is None:
    pytest.skip("the model was built without weights", allow_module_level=True)
FILE = FOLDER / "tokenizer.bin"
GOLDEN: dict[str, str] = json.loads(
    Path(__file__).parents[1].joinpath("goldens/vectors/multilingual-e5-small-ids.json").read_text("utf-8")
)
OURS = UnigramTokenizer(FILE, remedy=Remedy(kind="reinstall_model"))


@pytest.fixture(scope="module")
def table() -> PieceTable:
    return read_piece_table(FILE)


@pytest.fixture(scope="module")
def reference(table: PieceTable) -> Tokenizer:
    tokenizer = Tokenizer(models.Unigram(list(zip(table.pieces, table.scores, strict=True)), unk_id=3))
    tokenizer.normalizer = normalizers.Sequence([
        normalizers.Precompiled(pack_charsmap(table.replacements)),
        normalizers.Replace(Regex(" {2,}"), " "),
    ])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
    tokenizer.add_special_tokens([AddedToken(name, normalized=False, special=True) for name in special])
    return tokenizer


@pytest.fixture(scope="module")
def parts(table: PieceTable) -> st.SearchStrategy[list[str]]:
    characters = [*EMOJI, *SPACES, *SPECIAL, *JAMO, *sorted(table.replacements), *"".join(table.classes)]
    part = st.one_of(
        st.sampled_from(characters),
        st.sampled_from(table.pieces),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    )
    return st.lists(part, max_size=12)


@pytest.mark.thorough
@pytest.mark.parametrize("kind", GOLDEN)
def test_twelve_hundred_texts_of_each_kind_get_the_ids_of_the_models_own_tokenizer(
    kind: str, table: PieceTable
) -> None:
    ids = OURS.encode(Texts(table).make(kind))
    assert hashlib.sha256(json.dumps(ids, separators=(",", ":")).encode()).hexdigest() == GOLDEN[kind]


def test_there_are_ids_for_every_kind_of_text(table: PieceTable) -> None:
    assert list(Texts(table).kinds()) == list(GOLDEN)


@pytest.mark.thorough
@settings(max_examples=examples(100))
@given(data=st.data())
def test_any_text_gets_the_ids_that_the_library_gives(
    data: st.DataObject, parts: st.SearchStrategy[list[str]], reference: Tokenizer
) -> None:
    text = "".join(data.draw(parts))
    assert OURS.encode([text]) == [reference.encode(text, add_special_tokens=False).ids]


def test_a_text_of_a_hundred_thousand_characters_without_a_space_is_cut(reference: Tokenizer) -> None:
    text = "가나다abcde" * 12_500
    assert OURS.encode([text]) == [reference.encode(text, add_special_tokens=False).ids]


def test_a_half_of_a_surrogate_pair_is_read_as_a_question_mark() -> None:
    assert OURS.encode(["a\ud800b"]) == OURS.encode(["a?b"])
