import pytest
from kebab_core import AnswerRepo
from kebab_testing.fakes.answer_repo import InMemoryAnswerRepo
from kebab_testing.laws.answer_repo import AnswerRepoLaws


class TestInMemoryAnswerRepo(AnswerRepoLaws):
    @pytest.fixture
    def answers(self) -> AnswerRepo:
        return InMemoryAnswerRepo()
