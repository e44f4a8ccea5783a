"""Ask: answers as they are written, each claim with its place beside it; further questions go on with the conversation."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from kebab_words import Phrases

import kebab_tui.phrases as say
from kebab_tui.items import heading, one_line, two_lines
from kebab_tui.keys import ASK, COMMON, Key, bind
from kebab_tui.screens.face import Face
from kebab_tui.texts import QUIET, STRONG, show

if TYPE_CHECKING:
    from kebab_app import App
    from kebab_core import Answer, AnswerFinal, KebabError, Message, Turn as PastTurn
    from textual.binding import BindingType

    from kebab_tui.jobs import Turn
    from kebab_tui.widgets.lines import Item

_SHOWN = 30


class Asked(NamedTuple):
    """A question and its answer."""

    question: str
    answer: Answer


class Past(NamedTuple):
    """A turn of a conversation whose answer is no longer stored."""

    turn: PastTurn


class Stored(NamedTuple):
    """An answer, or a conversation, that can be shown again."""

    asked: Asked | None = None
    conversation: str = ""


class Ask(Face):
    """Screen of a conversation with the documents."""

    KEYS: ClassVar[tuple[Key, ...]] = (
        Key("ctrl+n", "Ctrl+N", "new", say.NEW_CONVERSATION, say.NEW),
        *(each for each in COMMON if each.label is not ASK.label),
    )
    BINDINGS: ClassVar[list[BindingType]] = bind(KEYS)
    ENTER: ClassVar[Key] = ASK
    PLACEHOLDER: ClassVar[Message] = say.ASK_HERE

    def __init__(self) -> None:
        super().__init__()
        self._turns: list[Asked | Past] = []
        self._conversation = ""
        self._question, self._written = "", ""
        """Question and text of the answer that is being written."""

    def begin(self, text: str) -> None:
        """Ask a question at once; without one show the conversation, or those before it."""
        if text.strip():
            self.box.value = text
            self.action_new()
            self.action_ask()
        elif not self._turns and not self._question:
            self.run("stored", self._read_stored)

    def action_open(self) -> None:
        """Ask the question in the box; without one show the chosen answer, or open the chosen place."""
        chosen = self.listing.chosen
        if self.box.value.strip():
            self.action_ask()
        elif chosen is not None and isinstance(chosen.target, Stored):
            self._show_stored(chosen.target)
        else:
            super().action_open()

    def action_ask(self) -> None:
        """Ask the question in the box."""
        if not (question := self.box.value.strip()) or self._question:
            return
        self.box.value = ""
        self._question, self._written = question, ""
        last = self._turns[-1] if self._turns else None
        before = last.answer if isinstance(last, Asked) else None
        session = self._conversation

        def ask(app: App, turn: Turn) -> None:
            from kebab_app import Conversations, build_ask_request
            from kebab_core import AnswerFinal, AnswerToken

            name = session
            if before is not None and not name and app.keeps_answers:
                name = Conversations(app.base).begin(str(before.retrieval.trace_id))
            request = build_ask_request(app.base, question, filters={}, session=name or None)
            text = ""
            with closing(app.ask_stream(request, cancel=turn.cancel)) as events:
                for event in events:
                    if isinstance(event, AnswerToken):
                        text += event.delta
                        self.tell(self._show_text, question, text)
                    elif isinstance(event, AnswerFinal):
                        self.tell(self._show_answer, question, event)
                        return
                    if turn.cancel.is_cancelled:
                        return

        self.run("answer", ask)
        self._show()

    def _show_text(self, question: str, text: str) -> None:
        if question == self._question:
            self._written = text
            self._show()

    def _show_answer(self, question: str, final: AnswerFinal) -> None:
        if question != self._question:
            return
        self._question = ""
        self._turns.append(Asked(question, final.answer))
        self._conversation = str(final.answer.conversation_id or self._conversation)
        self._show()
        if final.unstored_reason:
            self.say(self.w(final.unstored_reason))

    def _show(self, *, is_stopped: bool = False) -> None:
        from kebab_tui.answers import LOOKS, WRITING, describe, list_answer, list_turn, show_writing

        items: list[Item] = []
        words = self.kebab.words
        if self._question:
            look = LOOKS["stopped"] if is_stopped else WRITING
            items += show_writing(self._written, self._question, look, words)
            self.say_status(self.w(look.said))
        elif self._turns and isinstance(last := self._turns[-1], Asked):
            self.say_status(describe(last.answer, words))
        for number, each in reversed([*enumerate(self._turns)]):
            if isinstance(each, Asked):
                items += list_answer(number, each.question, each.answer, words)
            else:
                items += list_turn(number, each.turn, words)
        self.listing.show_items(items, keeps=False)

    def stop(self) -> bool:
        """Stop the answer that is being written; what there is of it stays, and is stored."""
        if not self._question:
            return False
        self.stop_jobs("answer")
        self._show(is_stopped=True)
        self._question = ""
        return True

    def fail(self, error: KebabError) -> None:
        """Show an error; the question goes back to the box."""
        self.box.value = self.box.value or self._question
        self._question = ""
        super().fail(error)

    def action_new(self) -> None:
        """Begin a conversation of its own."""
        self.stop()
        self._turns, self._conversation = [], ""
        self.run("stored", self._read_stored)

    def _read_stored(self, app: App, turn: Turn) -> None:  # noqa: ARG002 - it is short
        from kebab_app import Conversations

        answers = app.list_answers(limit=_SHOWN) if app.base.has_database else []
        names = [str(each.session_id) for each in Conversations(app.base).list(limit=_SHOWN)]
        self.tell(self._list_stored, [Asked(*each) for each in answers], names)

    def _list_stored(self, answers: list[Asked], names: list[str]) -> None:
        from kebab_tui.answers import look_of

        if self._turns or self._question:
            return
        items: list[Item] = []
        if names:
            items.append(heading(self.w(Phrases.CONVERSATIONS)))
        items += [one_line(f"c{name}", show(name, STRONG), Stored(conversation=name)) for name in names]
        if answers:
            items.append(heading(self.w(Phrases.LAST_QUESTIONS)))
        for at, asked in enumerate(answers):
            look = look_of(asked.answer)
            said = show(f"{look.sign} {self.w(look.said)}", QUIET)
            items.append(two_lines(f"a{at}", show(asked.question, STRONG), said, Stored(asked)))
        self.say_status(self.w(say.ASK_HERE))
        self.listing.show_items(items, keeps=False)

    def _show_stored(self, stored: Stored) -> None:
        if stored.asked is not None:
            self._turns = [stored.asked]
            self._conversation = str(stored.asked.answer.conversation_id or "")
            self._show()
            return
        self.run("stored", lambda app, _: self._read_conversation(app, stored.conversation))

    def _read_conversation(self, app: App, name: str) -> None:
        from kebab_app import Conversations

        conversations = Conversations(app.base)
        shown = conversations.show(name)
        turns = [
            Past(turn) if answer is None else Asked(turn.question, answer)
            for turn, answer in zip(shown.turns, conversations.find_answers(shown), strict=True)
        ]
        self.tell(self._show_conversation, name, turns)

    def _show_conversation(self, name: str, turns: list[Asked | Past]) -> None:
        self._turns, self._conversation = turns, name
        self._show()
