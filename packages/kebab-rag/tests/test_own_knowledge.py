"""What a model knows from elsewhere never passes: neither where the documents are silent, nor where they say otherwise."""

from __future__ import annotations

from typing import Any

import pytest
from kebab_core import RagSettings, RefusalReason
from kebab_rag import AskRequest
from kebab_testing.fakes.embedder import BagOfWordsEmbedder
from kebab_testing.fakes.language_model import ReplyingModel, claims_reply

SILENT = (
    ("The capital of France is a large city.", "What is the capital of France?", "The capital of France is Paris."),
    ("The first moon landing was watched by many.", "When was the first moon landing?", "The first moon landing was in 1969."),
    ("The speed of light is constant in vacuum.", "How fast is the speed of light in vacuum?", "The speed of light in vacuum is 299,792,458 m/s."),
    ("The telephone was invented in the nineteenth century.", "Who invented the telephone?", "Alexander Graham Bell invented the telephone."),
    ("Water boils when it is heated enough.", "At which temperature does water boil?", "Water boils at 100 degrees."),
    ("Hamlet is a famous play.", "Who wrote the play Hamlet?", "Shakespeare wrote Hamlet."),
    ("The Great Wall is very long.", "Can the Great Wall be seen from space?", "The Great Wall cannot be seen from space."),
    ("Python is a programming language.", "Who created the language Python?", "Python was created by Guido van Rossum."),
    ("The Nile flows through several countries.", "How long is the Nile?", "The Nile is 6,650 km long."),
    ("Mount Everest is the highest mountain.", "How high is the mountain Everest?", "Mount Everest is 8,849 metres high."),
    ("The release was planned carefully.", "When is the release planned?", "The release is planned for 3 May."),
    ("The office has a kitchen.", "Where is the office?", "The office is in Berlin."),
    ("Our server runs a database.", "Which database does our server run?", "Our server runs PostgreSQL."),
    ("The port of the service can be configured.", "What is the port of the service?", "The port of the service is 8080."),
    ("The library supports caching.", "How does the library support caching?", "The library supports caching through memcached."),
    ("프랑스의 수도는 큰 도시다.", "프랑스의 수도는 어디인가?", "프랑스의 수도는 파리다."),
    ("한글은 세종 때 만들어졌다.", "한글은 몇 년에 만들어졌나?", "한글은 1443년에 만들어졌다."),
    ("전화기는 오래전에 발명되었다.", "전화기는 누가 발명했나?", "전화기는 벨이 발명했다."),
    ("한라산의 자리는 제주도다.", "한라산의 높이는 몇 미터인가?", "한라산의 높이는 1,947미터다."),
    ("물은 가열하면 끓는다.", "물은 몇 도에서 끓는가?", "물은 100도에서 끓는다."),
    ("서울 지하철은 노선이 많다.", "서울 지하철 1호선은 언제 개통했나?", "서울 지하철은 1974년에 개통했다."),
    ("회의는 팀장이 연다.", "회의는 언제 여나?", "회의는 월요일에 연다."),
    ("서버의 포트는 설정할 수 있다.", "서버의 포트는 얼마인가?", "서버의 포트는 8080이다."),
    ("배포는 자동으로 된다.", "배포는 무엇으로 하나?", "배포는 젠킨스로 한다."),
    ("이순신은 장군이다.", "이순신은 어디에서 태어났나?", "이순신은 건천동에서 태어났다."),
    ("지구는 태양을 돈다.", "지구는 태양을 며칠에 한 바퀴 도나?", "지구는 태양을 365일에 한 바퀴 돈다."),
    ("김치는 배추로 담근다.", "김치는 무엇으로 간을 하나?", "김치는 젓갈로 간을 한다."),
    ("예산은 작년보다 늘었다.", "올해 예산은 얼마인가?", "올해 예산은 3천만 원이다."),
    ("백업은 매일 돈다.", "백업은 어디에 저장되나?", "백업은 클라우드에 저장된다."),
    ("The backup runs daily.", "Is the backup encrypted?", "Yes, the backup is encrypted with AES."),
)  # fmt: skip

OPPOSITE = (
    ("The capital of France is Lyon.", "What is the capital of France?", "The capital of France is Lyon.", "The capital of France is Paris."),
    ("Water boils at 60 degrees.", "At how many degrees does water boil?", "Water boils at 60 degrees.", "Water boils at 100 degrees."),
    ("The sky of Earth is green.", "Which colour is the sky of Earth?", "The sky of Earth is green.", "The sky of Earth is blue."),
    ("Penguins can fly.", "Can penguins fly?", "Penguins can fly.", "Penguins cannot fly."),
    ("The moon landing was on 3 May 1950.", "When was the moon landing?", "The moon landing was on May 3, 1950.", "The moon landing was on July 20, 1969."),
    ("프랑스의 수도는 리옹이다.", "프랑스의 수도는 어디인가?", "프랑스의 수도는 리옹입니다.", "프랑스의 수도는 파리입니다."),
    ("한글은 1800년에 만들어졌다.", "한글은 언제 만들어졌나?", "한글은 1800년에 만들어졌다.", "한글은 1443년에 만들어졌다."),
    ("고래는 물고기가 맞다.", "고래는 물고기인가?", "고래는 물고기가 맞다.", "고래는 물고기가 아니다."),
    ("한라산의 높이는 300미터다.", "한라산의 높이는 몇 미터인가?", "한라산의 높이는 300미터다.", "한라산의 높이는 1,947미터다."),
    ("지구에는 달이 없다.", "지구에는 달이 몇 개인가?", "지구에는 달이 없다.", "지구에는 달이 1개 있다."),
)  # fmt: skip
FILLER = "\n\nThe garden is watered in spring.\n\n정원에는 봄에 물을 준다.\n\nBooks are on the shelf."


def ask(
    bench: Any, document: str, question: str, claim: str, *, numbers: tuple[int, ...] = (1,), **options: Any
) -> Any:
    settings = RagSettings(score_gate=0, **options)
    model = ReplyingModel(lambda _: claims_reply((claim, numbers)))
    parts = bench(
        model, texts={"note.md": document + FILLER}, settings=settings, embedder=BagOfWordsEmbedder()
    )
    return parts.pipeline.ask(AskRequest(question=question))


@pytest.mark.parametrize(("document", "question", "claim"), SILENT)
def test_an_answer_from_elsewhere_is_a_refusal_whatever_it_cites(
    bench: Any, document: str, question: str, claim: str
) -> None:
    for numbers in ((1,), (1, 2, 3, 4)):
        answer = ask(bench, document, question, claim, numbers=numbers)
        assert not answer.grounded, answer.claims
        assert answer.refusal_reason is RefusalReason.LLM_SELF_JUDGE
        assert claim not in answer.answer


@pytest.mark.parametrize(("document", "question", "follows", "corrects"), OPPOSITE)
def test_the_answer_follows_the_documents_and_a_model_that_corrects_them_fails(
    bench: Any, document: str, question: str, *, follows: str, corrects: str
) -> None:
    answer = ask(bench, document, question, follows)
    assert answer.grounded, answer.review
    assert answer.answer == f"{follows} [1]"
    assert answer.claims[0].sources[0].quote == document
    assert not ask(bench, document, question, corrects).grounded


def test_there_are_thirty_questions_without_an_answer_and_ten_against_the_world() -> None:
    assert (len(set(SILENT)), len(set(OPPOSITE))) == (30, 10)
