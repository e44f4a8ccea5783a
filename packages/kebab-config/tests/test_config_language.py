"""The language of messages, by the environment."""

from __future__ import annotations

from kebab_config import choose_language
from kebab_testing.tables import walk


@walk(
    ("environ", "language"),
    [
        ({}, "en"),
        ({"LANG": "C"}, "en"),
        ({"LANG": "POSIX"}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "ko"}, "ko"),
        ({"LANG": "kok_IN.UTF-8"}, "en"),
        ({"LANG": "ko_KR.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "ko_KR.UTF-8", "LC_MESSAGES": ""}, "ko"),
        ({"LANG": "en_US.UTF-8", "LC_ALL": "ko_KR.UTF-8", "LC_MESSAGES": "C"}, "ko"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_ALL": "C", "KEBAB_LANG": "ko"}, "ko"),
        ({"LC_ALL": "ko_KR.UTF-8", "KEBAB_LANG": "en"}, "en"),
        ({"KEBAB_LANG": "KO"}, "ko"),
    ],
)
def test_the_first_variable_that_is_set_chooses(environ: dict[str, str], language: str) -> None:
    assert choose_language(environ) == language
