"""Query centroids: the mean vectors of questions and of gibberish in each script, measured for a model and an index.

The mean of questions is mostly their script. Unless it is subtracted, a Korean question is as near to an English page on
its subject as to a Korean page on another subject: with titles of an index of both as queries, the page in the other
language came tenth or later on the whole, and comes among the first two with the mean subtracted (2026-11). Means of
passages instead of questions do half as well. Computed after embedding, stored, and read by every `VectorSearch`.
"""

from __future__ import annotations

import heapq
import json
import math
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from kebab_core import InvalidInputError, VectorMatrix, hash_bytes
from kebab_text import Script, script_of_text

TITLE_SAMPLE = 200
"""Titles of a script that are embedded; more change nothing."""
_DIGITS = 6
_DIGEST_CHARS = 12

Direction = tuple[float, ...]


class QueryCentroids(NamedTuple):
    """Mean vectors of texts, by script.

    Attributes:
        questions: Of questions anyone may ask, and of titles of the index as if they were asked for.
        gibberish: Of rows of letters that mean nothing.
    """

    questions: Mapping[Script, Direction]
    gibberish: Mapping[Script, Direction]

    def encode(self) -> bytes:
        """Encode as JSON."""
        plain = {
            name: {script.value: [round(value, _DIGITS) for value in mean] for script, mean in means.items()}
            for name, means in self._asdict().items()
        }
        return json.dumps(plain, separators=(",", ":"), sort_keys=True).encode()

    @property
    def digest(self) -> str:
        """A digest of the encoding, for cursors."""
        return hash_bytes(self.encode())[:_DIGEST_CHARS]


NO_CENTROIDS = QueryCentroids({}, {})


def decode_centroids(content: bytes) -> QueryCentroids:
    """Decode centroids.

    Raises:
        InvalidInputError: The bytes are no encoded centroids.
    """
    try:
        plain = json.loads(content)
        read = [
            {Script(script): tuple(map(float, mean)) for script, mean in plain[name].items()}
            for name in QueryCentroids._fields
        ]
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidInputError("these are not the query centroids of a model") from error
    return QueryCentroids(*read)


def centroid_texts(titles: Iterable[str]) -> Mapping[Script, list[str]]:
    """List the texts of each script: its questions, and a sample of the titles in that script.

    Another title changes one text of the sample at most.
    """
    by_script: dict[Script, dict[str, None]] = {}
    for title in titles:
        if title.strip():
            by_script.setdefault(script_of_text(title), {})[title.strip()] = None
    return {
        script: [*QUESTIONS.get(script, ()), *_sample(by_script.get(script, ()))]
        for script in Script
        if script in QUESTIONS or script in by_script
    }


def compute_centroids(
    embed: Callable[[Sequence[str]], VectorMatrix], titles: Iterable[str]
) -> QueryCentroids:
    """Compute the centroids of a model for an index.

    Args:
        embed: Embeds queries; called with a few hundred short ones.
        titles: Of all documents of the index, in any order.
    """
    return QueryCentroids(
        {script: _mean(embed(texts)) for script, texts in centroid_texts(titles).items()},
        {script: _mean(embed(texts)) for script, texts in GIBBERISH.items()},
    )


def subtract_centroid(query: VectorMatrix, centroid: Direction) -> VectorMatrix:
    """Subtract a centroid from a query, shape (1, d), and scale to unit norm; the query itself if nothing is left."""
    rest = [value - common for value, common in zip(_row(query), centroid, strict=True)]
    length = math.hypot(*rest)
    return _matrix([value / length for value in rest]) if length else query


def max_cosine(query: VectorMatrix, means: Mapping[Script, Direction]) -> float | None:
    """Compute the cosine of a query with the nearest of some means; None without means."""
    row = _row(query)
    cosines = [
        sum(left * right for left, right in zip(row, mean, strict=True)) / (math.hypot(*mean) or 1.0)
        for mean in means.values()
    ]
    return max(cosines, default=None)


def _mean(vectors: VectorMatrix) -> Direction:
    rows = cast("list[list[float]]", vectors.tolist())
    return tuple(math.fsum(column) / len(rows) for column in zip(*rows, strict=True))


def _sample(titles: Iterable[str]) -> list[str]:
    return heapq.nsmallest(
        TITLE_SAMPLE, titles, key=lambda title: hash_bytes(title.encode("utf-8", "replace"))
    )


def _row(query: VectorMatrix) -> list[float]:
    rows = cast("list[list[float]]", query.tolist())
    return rows[0]


def _matrix(row: Sequence[float]) -> VectorMatrix:
    return memoryview(array("f", row)).cast("B").cast("f", shape=[1, len(row)]).toreadonly()


QUESTIONS: Mapping[Script, tuple[str, ...]] = {
    Script.HANGUL: (
        "이 설정은 어디에서 바꾸나요?",
        "회의는 언제 열리나요?",
        "가장 큰 도시는 어디인가?",
        "백업을 자동으로 하는 방법",
        "오류가 나면 어떻게 해야 하나요?",
        "누가 이 책을 썼는가?",
        "여행 준비물 목록",
        "지난 분기 매출은 얼마였나?",
        "설치 방법",
        "두 방식의 차이점은 무엇인가요?",
        "왜 비가 오면 하늘이 흐린가?",
        "사용자 인증과 권한",
        "파스타를 맛있게 삶는 법",
        "그 전쟁은 몇 년에 끝났나?",
        "데이터베이스 연결 예제",
        "운동을 시작하기 전에 알아야 할 것",
        "계약서에 꼭 들어가야 하는 내용",
        "시험 일정",
        "이 약의 부작용은 무엇인가?",
        "프로젝트 구조와 폴더",
        "환불은 어떻게 신청하나요?",
        "처음 시작하는 사람을 위한 안내",
        "이 노래를 부른 가수는 누구인가?",
        "메모리 사용량을 줄이려면",
        "역사 속 유명한 발명가",
        "세금 신고에 필요한 서류",
        "테스트를 작성하는 이유",
        "강아지가 밥을 먹지 않을 때",
        "문서의 제목을 바꾸는 방법",
        "소개",
    ),
    Script.LATIN: (
        "Where do I change this setting?",
        "When does the meeting take place?",
        "Which city is the largest?",
        "how to back up files automatically",
        "What should I do when an error appears?",
        "Who wrote this book?",
        "packing list for a trip",
        "What was the revenue last quarter?",
        "Installation",
        "What is the difference between the two approaches?",
        "Why is the sky grey when it rains?",
        "user authentication and permissions",
        "how to cook pasta well",
        "In what year did the war end?",
        "database connection example",
        "things to know before starting to exercise",
        "what a contract must contain",
        "exam schedule",
        "What are the side effects of this medicine?",
        "project structure and folders",
        "How do I ask for a refund?",
        "a guide for beginners",
        "Which singer performed this song?",
        "reduce memory usage",
        "famous inventors in history",
        "papers needed for the tax return",
        "reasons for writing tests",
        "when a dog refuses to eat",
        "rename the title of a document",
        "Introduction",
    ),
}
"""Questions and headings about anything, the same in either language."""

GIBBERISH: Mapping[Script, tuple[str, ...]] = {
    Script.HANGUL: (
        "둫뇦쌭듛 섮혋쵧 듻퇀긾괥 신뿴긥",
        "풷냊쫜끎 뿨쁨뒾낢",
        "컳쎉께 둊쇝슄녯",
        "냸욲귯 킨곮폿 쑸쑄텊곋 낟넢뇍퓬",
        "욣섡쓜 턮쥋젱즛",
        "촲쳮 뿚퉻 쫇국 댹쯒",
        "로더가처 차토파 카어고로 서터",
        "파포허 하커 초서 자자",
        "다마러 아고 러하퍼",
        "보로서토 서마다 코다러",
        "버호조 호자 노파나 너차라",
        "고사 소호포처 파파 더타가",
        "다타거러 소보모 카터거바",
        "ㅛㅂㅑㅑㄷㅁㅛㅔㅊㅑㅊ",
        "ㄹㄹㄷㄱㅛㅇㅌㅊ",
        "ㅁㅍㅔㅇㄴㅑㅊㅕㅋ",
    ),
    Script.LATIN: (
        "nggjluy hxzmyrg tekmv",
        "zdg xyzqjew uiz nga",
        "ujixphq gxo kevoan",
        "pqelnrd pde",
        "uuw dvdfel",
        "ncoa paq nrtivr wgm",
        "ckug ubntfxd dfu",
        "mlpqu dzxl",
        "tug qnzap",
        "eeu xiqzssz tlhltd",
        "pizi ybxk",
        "hzefwr wjo",
        "ofzhpj beti",
        "xzzeouu eof iwwyps",
        "fghj fghj",
        "zzzzzzzz",
    ),
}
"""Random keys and syllables."""
