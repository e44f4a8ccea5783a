from kebab_core import FinishReason, GenerationDone, TokenDelta
from kebab_testing.fakes.language_model import ScriptedModel
from kebab_testing.passages import build_request

REQUEST = build_request("What?", "Something. Else.")


def test_scripted_model_says_its_tokens_one_by_one() -> None:
    model = ScriptedModel(["a", "", "b"], finish_reason=FinishReason.ERROR, error="broken")
    *texts, done = model.generate_stream(REQUEST)
    assert texts == [TokenDelta(text="a"), TokenDelta(text="b")]
    assert isinstance(done, GenerationDone)
    assert (done.finish_reason, done.error, done.usage.completion_tokens) == (FinishReason.ERROR, "broken", 2)


def test_scripted_model_ends_at_the_limit_of_tokens() -> None:
    *texts, done = ScriptedModel(["a", "b", "c"]).generate_stream(build_request("What?", max_tokens=2))
    assert texts == [TokenDelta(text="a"), TokenDelta(text="b")]
    assert isinstance(done, GenerationDone)
    assert done.finish_reason is FinishReason.LENGTH


def test_scripted_model_keeps_what_it_was_asked_and_who_stopped_listening() -> None:
    model = ScriptedModel(["a", "b"])
    list(model.generate_stream(REQUEST))
    assert (model.requests, model.closed_early) == ([REQUEST], 0)
    stream = model.generate_stream(REQUEST)
    next(iter(stream))
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert (len(model.requests), model.closed_early) == (2, 1)
