"""Messages: the English text, and the template and arguments it is made of."""

from __future__ import annotations

import pickle

from kebab_core import InvalidInputError, Message, join_messages, shorten_message
from kebab_core.model import Model
from kebab_testing.tables import walk
from pydantic import TypeAdapter


class Report(Model):
    """A model with a message and a list of them."""

    reason: Message
    warnings: tuple[Message, ...] = ()


def count_of_files(count: int) -> Message:
    return Message("{count} file", plural="{count} files", count=count)


MESSAGE = Message("cannot read {path!r}: {reason}", path="a{b}.md", reason="permission denied")
KOREAN = {
    "cannot read {path!r}: {reason}": "{path!r} 파일을 읽을 수 없습니다: {reason}",
    "{count} files": "파일 {count}개",
    "{files} left": "{files} 남음",
}


def translate(text: str) -> str:
    """Translate a message as a face with catalogues does: the template is the id, arguments may be messages."""
    if not isinstance(text, Message):
        return text
    is_plural = text.plural is not None and text.arguments["count"] != 1
    template = text.plural if text.plural is not None and is_plural else text.template
    arguments = {
        name: translate(value) if isinstance(value, str) else value for name, value in text.arguments.items()
    }
    return KOREAN.get(template, template).format_map(arguments)


def test_a_message_is_its_english_text() -> None:
    assert MESSAGE == "cannot read 'a{b}.md': permission denied"
    assert Message("{count:,} of {share:.0f} %", count=12_000, share=7.4) == "12,000 of 7 %"


def test_braces_of_the_text_are_doubled_in_the_template() -> None:
    assert Message("`${{{name}}}` opens `${{`", name="HOME") == "`${HOME}` opens `${`"


@walk(("count", "text"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_the_argument_count_decides_between_singular_and_plural(count: int, text: str) -> None:
    assert count_of_files(count) == text


@walk("message", [MESSAGE, count_of_files(3), Message("nothing")])
def test_a_message_comes_whole_through_pickle(message: Message) -> None:
    loaded = pickle.loads(pickle.dumps(message))
    assert type(loaded) is Message
    assert (loaded, loaded.template, loaded.plural, loaded.arguments) == (
        message,
        message.template,
        message.plural,
        message.arguments,
    )


def test_an_error_keeps_the_arguments_of_its_message_through_pickle() -> None:
    error = pickle.loads(pickle.dumps(InvalidInputError(MESSAGE)))
    assert error.message == str(error) == MESSAGE
    assert error.message.arguments == {"path": "a{b}.md", "reason": "permission denied"}


def test_an_error_makes_a_message_of_its_template_and_details() -> None:
    error = InvalidInputError("cannot read {path!r}: {reason}", path="a.md", _reason="it is {gone}", size=3)
    assert str(error) == "cannot read 'a.md': it is {gone}"
    assert error.message.template == "cannot read {path!r}: {reason}"
    assert error.details == {"path": "a.md", "size": 3}


@walk("text", ["no {key}", "no {}", "no {", "no {0}", "{key.name}", "{size!r:x}"])
def test_a_text_that_is_no_template_of_its_arguments_is_taken_as_it_is(text: str) -> None:
    assert str(InvalidInputError(text, size="a")) == text


def test_a_long_message_loses_the_middle_of_its_text_and_keeps_its_arguments() -> None:
    long = Message("cannot read {path}: gone", path="x" * 5_000)
    assert len(long) < 2_000
    assert long.endswith("x: gone")
    assert shorten_message(long) is long
    assert long.arguments == {"path": "x" * 5_000}


def test_a_model_keeps_messages() -> None:
    report = Report(reason=MESSAGE, warnings=(count_of_files(2),))
    assert report.reason is MESSAGE
    assert report.warnings[0].arguments == {"count": 2}


def test_a_model_takes_a_text_as_a_message_without_a_translation() -> None:
    report = Report(reason="a {text}")
    assert (report.reason, report.reason.template) == ("a {text}", "{text}")


def test_a_message_is_a_string_in_json() -> None:
    report = Report(reason=MESSAGE)
    read = Report.model_validate_json(report.model_dump_json())
    assert read == report
    assert read.reason.template == "{text}"
    assert TypeAdapter(Message).json_schema() == {"type": "string"}


def test_joined_messages_keep_their_arguments() -> None:
    joined = join_messages("; ", [MESSAGE, "as it is"])
    assert joined == f"{MESSAGE}; as it is"
    assert joined.arguments == {"part_1": MESSAGE, "part_2": "as it is"}


def test_a_catalogue_by_template_is_enough_to_translate() -> None:
    assert translate(MESSAGE) == "'a{b}.md' 파일을 읽을 수 없습니다: permission denied"
    assert translate(Message("{files} left", files=count_of_files(2))) == "파일 2개 남음"
