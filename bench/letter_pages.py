"""Draws pages of Korean lines with single letters among syllables, and their `truth.json`, for `bench/ocr.py`.

    python bench/letter_pages.py FOLDER chosen|judged

Thresholds were chosen on the lines and fonts of `chosen`; those of `judged` are others. Fonts of Debian's `fonts-nanum`, `fonts-noto-cjk`
and `fonts-unfonts-core`.
"""

import json
import random
import sys
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

FONTS = Path("/usr/share/fonts")
NANUM, UN, NOTO = FONTS / "truetype/nanum", FONTS / "truetype/unfonts-core", FONTS / "opentype/noto"
LEAD = 1.6
"""Heights of a font from line to line."""
SETS = {
    "chosen": (
        [
            (NANUM / "NanumGothic.ttf", 0),
            (NANUM / "NanumMyeongjo.ttf", 0),
            (NOTO / "NotoSansCJK-Regular.ttc", 1),
            (UN / "UnBatang.ttf", 0),
        ],
        """A동 1203호 앞에서 만나요
B형 간염 예방접종 안내
3F 회의실은 오전에만 열린다
T맵으로 길을 찾아 가면 된다
그래프의 x축은 시간이고 y축은 온도이다
비타민C와 비타민D를 함께 먹는다
C동 지하 2층 주차장 이용 안내
A4용지 두 상자를 주문했다
서울 지하철 2호선 강남역 B출구
혈액형은 O형이고 알레르기는 없다
G마켓에서 산 노트북이 고장났다
K팝 공연은 저녁 7시에 시작한다
A팀과 B팀이 결승에서 만났다
출입문 D를 닫고 E로 나가세요
1층 로비에서 S사 담당자를 찾는다
회의는 B동 3층 대강당에서 열린다
H빔 12개와 I빔 4개를 보냈다
M자 탈모 치료 상담
LG전자와 SK하이닉스, KT가 참가했다
정답은 C이다
엘리베이터는 B1에서 탄다
X선 검사 결과 이상이 없다
점 P에서 Q까지 거리를 구하라
n번째 항과 k번째 항의 합
z값이 음수면 왼쪽에 있다
R값과 p값을 함께 적는다
A등급 한우 국거리 300g
USB포트에 C타입 케이블을 꽂는다""",
    ),
    "judged": (
        [
            (NANUM / "NanumBarunGothic.ttf", 0),
            (NOTO / "NotoSerifCJK-Regular.ttc", 1),
            (NANUM / "NanumSquareR.ttf", 0),
            (UN / "UnDotum.ttf", 0),
        ],
        """D동 관리사무소 운영 시간
A형 독감이 유행하고 있다
B1층 식당은 오후 2시까지 연다
V자 계곡을 따라 내려간다
좌표의 z축은 높이를 나타낸다
비타민K가 많은 채소를 고른다
영등포역 E번 출구로 나온다
N서울타워 전망대 입장권
E마트 상품권 5만원권
F학점을 받은 과목을 다시 듣는다
AB형 혈액이 부족합니다
P사와 Q사가 합병을 발표했다
L백화점 지하 식품관
S전자 주가가 올랐다
U턴 구역에서 차를 돌린다
W호텔 30층 연회장
J교수의 강의는 화요일이다
a지점에서 b지점까지 걷는다
t분포를 따르는 통계량
m개의 행과 n개의 열
C언어로 작성한 프로그램
R구역 주차는 입주민만 한다
보고서 초안을 A에게 보냈다
문제 B를 먼저 풀어라
O링과 V벨트를 교체했다
2호기 G라인 점검 완료
Y염색체에 있는 유전자
결과는 K씨에게 전한다""",
    ),
}


def draw(
    font: ImageFont.FreeTypeFont, lines: list[str], ground: tuple[int, ...], ink: tuple[int, ...]
) -> tuple[Image.Image, list[dict]]:
    """Draw lines; return the picture and what is true of each line."""
    width = int(max(font.getlength(line) for line in lines)) + 80
    image = Image.new("RGB", (width, int(len(lines) * font.size * LEAD) + 60), ground)
    brush, rows = ImageDraw.Draw(image), []
    for index, line in enumerate(lines):
        x, y = 40.0, 30 + index * font.size * LEAD
        brush.text((x, y), line, font=font, fill=ink)
        words = []
        for word in line.split():
            words.append([word, list(brush.textbbox((x, y), word, font=font))])
            x += font.getlength(f"{word} ")
        rows.append({"text": line, "words": words})
    return image, rows


def photograph(image: Image.Image, noise: np.random.Generator) -> Image.Image:
    """Blur a picture, darken it to the right and add noise."""
    pixels = np.array(image.filter(ImageFilter.GaussianBlur(0.8))).astype(np.float32)
    pixels *= np.linspace(1, 0.6, image.width)[None, :, None]
    pixels += noise.normal(0, 8, pixels.shape[:2])[..., None]
    return Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))


def main() -> None:
    folder, (fonts, text) = Path(sys.argv[1]), SETS[sys.argv[2]]
    folder.mkdir(parents=True, exist_ok=True)
    rng, noise, pages = random.Random(5), np.random.default_rng(5), []  # noqa: S311 - no secret
    light, dark = ((255, 255, 255), (20, 20, 20)), ((30, 30, 34), (225, 225, 230))
    for number, (path, face) in enumerate(fonts):
        for kind, size, colours in (
            ("clean", 28, light),
            ("small", 14, light),
            ("dark", 18, dark),
            ("photo", 26, light),
        ):
            lines = text.splitlines()
            rng.shuffle(lines)
            image, rows = draw(ImageFont.truetype(path, size, index=face), lines, *colours)
            name = f"{kind}{number}.{'jpg' if kind == 'photo' else 'png'}"
            (photograph(image, noise) if kind == "photo" else image).save(folder / name)
            pages.append({"file": name, "kind": kind, "lines": rows})
    (folder / "truth.json").write_text(json.dumps({"pages": pages}, ensure_ascii=False), "utf-8")


if __name__ == "__main__":
    main()
