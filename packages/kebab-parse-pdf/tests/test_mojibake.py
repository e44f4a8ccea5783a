"""Text whose codes are not those of its characters is read for what it is, or left out and told; real text is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kebab_testing.families import examples
from kebab_testing.pdf_files import PageSpec, block_texts, column, write_pdf
from kebab_testing.tables import walk

if TYPE_CHECKING:
    from conftest import Extract

PROSE = [
    "The committee read the report of the last year and asked for",
    "a second one, which it reads in May. It then votes on all of",
    "it. The members of the office may propose changes until the",
    "end of March; proposals that come later are read next year.",
]
WORDS = {
    "de": "über größe fußgänger äußerst mädchen schön öffentlich Übung straße Ärzte weiß Öl müßig ungewöhnlich",
    "fr": "été déjà élève où ça être garçon naïf à œuvre Noël forêt élevée ambiguë crème brûlée août Île Évêché",
    "vi": "tiếng Việt không được người những một của nước Nam đường là và có thể cách học trường hợp ở đây",
    "es": "mañana año español corazón también pingüino ¿qué? así ñandú Ávila Óscar niño más allá él",
    "pt": "não são ação órgão água à às você português irmã coração À Á Â",
    "is": "það þú æði hús sjálfstæði Ísland öðrum Þór ætti fólkið",
    "fi": "yö työ hyvää päivää ääni öljy mökki Ääkköset määrä käsittääkö Ä Ö",
    "en": "naïve café 20°C 3µm ±5 § 12 ½ cup 25×4 £10 ©2020 “quoted” it’s end– of —line",
    "quotes": "“Don’t “We’re ‘It’s’ they’ve rock’n’roll “that’s” o’clock—he’d ’twas’nt fi…",
    "ko": "한글 문서 café 둘째 ±3 줄은 déjà vu 이다",
}
_ALPHABETS = ["Àà Ââ Ææ Çç", "Àà Áá Ââ Ãã", "Ää Öö Üü ß", "Õõ Ää Öö Üü", "Áá Ðð Éé Íí Óó Úú Ýý Þþ Ææ Öö"]


def test_korean_bytes_in_a_latin_font_are_read_as_korean_and_told(extract: Extract) -> None:
    lines = ["한글 문서의 첫째 줄, “인용”과 3·1절", "서울특별시 PDF 파일 (2026년)", "끝에 서"]

    document = extract(write_pdf(PageSpec(column(60, 100, *lines), encoding="cp949"), PageSpec()))

    assert block_texts(document) == ["\n".join(lines)]
    assert document.provenance.warnings == (
        "the Korean text of 1 of 2 pages is shown as Latin letters; it was read as CP949 (page 1)",
    )


@pytest.mark.thorough
@settings(
    max_examples=examples(25), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(data=st.data())
def test_every_common_syllable_among_korean_words_is_read_from_its_bytes(
    extract: Extract, data: st.DataObject
) -> None:
    codes = st.integers(0xB0, 0xC8), st.integers(0xA1, 0xFE)
    syllable = st.tuples(*codes).map(lambda pair: bytes(pair).decode("euc_kr"))
    words = data.draw(st.lists(st.text(syllable, min_size=2, max_size=6), min_size=1, max_size=6))

    line = " ".join(["한글 문서의 첫째 줄", *words])

    document = extract(write_pdf(PageSpec(column(60, 100, line), encoding="cp949")))

    assert block_texts(document) == [line]


@pytest.mark.thorough
@settings(
    max_examples=examples(120), deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
@given(data=st.data())
def test_real_words_are_kept_as_they_are(extract: Extract, data: st.DataObject) -> None:
    own = data.draw(st.sampled_from(sorted(WORDS)))
    word = st.sampled_from(WORDS[own].split() + data.draw(st.sampled_from(_ALPHABETS)).split())
    lines = data.draw(st.lists(st.lists(word, min_size=1, max_size=7).map(" ".join), min_size=1, max_size=9))

    document = extract(write_pdf(PageSpec(column(60, 100, *lines))))

    assert (
        " ".join(block_texts(document)).replace("\n", " ").replace(" | ", " ").split()
        == " ".join(lines).split()
    )
    assert document.provenance.warnings == ()


def _shift(text: str, offset: int) -> str:
    return "".join(char if char == " " else chr(ord(char) + offset) for char in text)


@walk("offset", [3, 1, -3])
def test_shifted_letters_are_left_out_and_told(offset: int, extract: Extract) -> None:
    shifted = PageSpec(column(60, 100, *[_shift(line, offset) for line in PROSE]))

    document = extract(write_pdf(shifted, PageSpec(column(60, 100, *PROSE))))

    assert block_texts(document) == ["\n".join(PROSE)]
    assert document.provenance.warnings == (
        "text of 1 of 2 pages was left out: its fonts name other characters than they show (page 1)",
    )


def test_one_font_with_shifted_letters_costs_no_other_text_of_the_page(extract: Extract) -> None:
    shifted = PageSpec(column(60, 400, *[_shift(line, 3) for line in PROSE]), encoding="ascii")
    both = PageSpec(column(60, 100, *PROSE, *PROSE), overlay=shifted)

    document = extract(write_pdf(both))

    assert block_texts(document) == ["\n".join([*PROSE, *PROSE])]
    assert [warning.partition(":")[0] for warning in document.provenance.warnings] == [
        "text of 1 of 1 pages was left out"
    ]


@walk(
    "lines",
    [
        ["0123456789ABCDEF" * 4] * 4,
        ["GATTACACATTAGACCAGTACCAGATACAGGATTACA"] * 6,
        ["1,234.50  17.25  88,100  0.5  -3.75  12.01"] * 6,
        ["x = f(y[i], z{j}) && !(a <= b) || *p++ == '\\0';"] * 5,
        ["QmFzZTY0IGlzIG5vdCBwcm9zZTsgaXQgb25seSBsb29rcyBzbw0K"] * 4,
        [f"{n}.{n % 7} . . . . . . . . . . . . . . . . . . . . . {n * 3}" for n in range(1, 40)],
        [f"{n}, {n + 4}–{n + 9}, 1{n}" for n in range(10, 50)] + ["B5 paper . . . . . . . . . . . . . . 10"],
        ["SELECT ID, NAME FROM USERS WHERE AGE > 30 ORDER BY ID"] * 4,
    ],
)  # fmt: skip
def test_numbers_codes_and_programs_are_not_shifted_text(lines: list[str], extract: Extract) -> None:
    document = extract(write_pdf(PageSpec(column(60, 100, *lines))))

    assert document.provenance.warnings == ()
    assert document.blocks
