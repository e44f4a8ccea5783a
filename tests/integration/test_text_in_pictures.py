"""The engine with its real models, on small pictures: Hangul drawn in advance, since no font of it may be relied on."""

from functools import cache
from pathlib import Path

from kebab_core import OcrText, Picture
from kebab_model_ocr import files, manifest
from kebab_ocr import LocalOcrEngine, build_local_ocr
from PIL import Image, ImageDraw, ImageFont

HANGUL = Path(__file__).with_name("hangul.png")
LINES = [
    "다음 회의는 3월 14일 Studio 5에서 한다.",
    "합계 26,000",
    "Please sign page 3 by 29 May.",
]


@cache
def engine() -> LocalOcrEngine:
    return build_local_ocr(files(), manifest()["files"])


@cache
def page() -> Image.Image:
    image = Image.new("RGB", (760, 160), "white")
    image.paste(Image.open(HANGUL).convert("RGB"))
    ImageDraw.Draw(image).text((10, 110), LINES[2], font=ImageFont.load_default(28), fill="black")
    return image


def read(image: Image.Image) -> OcrText:
    return engine().read(Picture(*image.size, image.tobytes()))


def places(text: OcrText) -> dict[str, tuple[int, int, int, int]]:
    return {word.text: word.bbox for region in text.regions for word in region.words or ()}


def test_both_languages_are_read_in_order_with_the_place_of_every_word() -> None:
    text = read(page())
    assert [region.text for region in text.regions] == LINES
    assert text.joined == "\n".join(LINES)
    assert all(region.confidence > 0.8 for region in text.regions)
    for word, left in {"다음": 10, "합계": 10, "26,000": 600, "Please": 10}.items():
        x, y, width, height = places(text)[word]
        assert abs(x - left) <= 4
        ink = page().crop((x, y, x + width, y + height)).convert("L").getextrema()
        assert ink[0] < 100
        assert height < 40


def test_cells_of_a_table_are_read_with_their_last_syllables_and_middle_dots() -> None:
    text = read(Image.open(HANGUL.with_name("table-cells.png")).convert("RGB"))
    assert [region.text for region in text.regions] == [
        "토너 CF410X 98,000 2 주문 필요",
        "USB-C 케이블 7,500 15 회의실",
        "화이트보드 펜 1,200 40 빨강·파랑",
    ]


def test_single_letters_among_syllables_are_read() -> None:
    text = read(Image.open(HANGUL.with_name("letters-among-syllables.png")).convert("RGB"))
    assert [region.text for region in text.regions] == [
        "A동 관리실에서 T맵을 켜세요",
        "그래프의 x축은 시간이다",
        "B형 간염 예방접종",
        "비타민C와 K팝 공연",
    ]


def test_a_fax_is_read_through_its_specks_and_gaps() -> None:
    text = read(Image.open(HANGUL.with_name("fax.png")).convert("RGB"))
    assert text.joined == "서버 응답(p95)이 420ms에서 180ms로 줄었다. TTL은 300초이다."


def test_specks_between_words_of_a_noisy_picture_are_no_points() -> None:
    text = read(Image.open(HANGUL.with_name("specks.jpg")).convert("RGB"))
    assert (
        text.joined
        == "백업은 매일 새벽 두 시에 돌고 복구 연습은 한다\n배송 주소는 서면역 앞 건물 이층 안쪽 사무실"
    )


def test_code_is_read_before_the_result_that_stands_beside_it() -> None:
    image = Image.new("RGB", (900, 420), "white")
    brush, font = ImageDraw.Draw(image), ImageFont.load_default(24)
    code = ["for name in names:", "print(name)", "count += 1", "print(count)", "return count"]
    result = ["Anna", "Boris", "Two names"]
    before, after = (
        f"The {place} paragraph is as wide as the whole page, with room at its end."
        for place in ("first", "last")
    )
    brush.text((40, 20), before, font=font, fill="black")
    for index, line in enumerate(code):
        brush.text((40, 110 + 34 * index), line, font=font, fill="black")
    for index, line in enumerate(result):
        brush.text((520, 128 + 40 * index), line, font=font, fill="black")
    brush.text((40, 350), after, font=font, fill="black")
    assert [region.text for region in read(image).regions] == [before, *code, *result, after]


def test_picture_that_is_upside_down_is_read_with_places_in_itself() -> None:
    text = read(page().rotate(180))
    assert [region.text for region in text.regions] == LINES
    (x, y, width, height), (upright_x, upright_y, *_) = places(text)["26,000"], places(read(page()))["26,000"]
    assert abs(760 - x - width - upright_x) <= 3
    assert abs(160 - y - height - upright_y) <= 3


def test_picture_without_text_has_no_regions() -> None:
    ground = Image.linear_gradient("L").resize((320, 200)).convert("RGB")
    ImageDraw.Draw(ground).polygon([(0, 200), (90, 60), (150, 140), (230, 40), (320, 200)], fill="darkgreen")
    assert read(ground) == OcrText(joined="", engine="local", engine_version=engine().identity.engine_version)
