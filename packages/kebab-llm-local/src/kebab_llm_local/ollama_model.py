"""`OllamaModel`: a chat model of Ollama, through its official client, which is imported with the first request."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar, cast

from kebab_core import (
    ChatMessage,
    FinishReason,
    GenerateRequest,
    LlmSettings,
    Message,
    ModelRef,
    Remedy,
    TokenChunk,
    TokenUsage,
)
from kebab_runtime import CHECK_LOAD, ModelEndpoint, ReplyLimits, ServerErrors, WatchedReply

from kebab_llm_local.generation import Generation
from kebab_llm_local.providers import ChatModelResources

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    import httpx
    from ollama import ChatResponse, Client, ShowResponse

OLLAMA_ADDRESS = "http://127.0.0.1:11434"
_THINKING = "thinking"
_REASONS = {"stop": FinishReason.STOP, "length": FinishReason.LENGTH, None: FinishReason.STOP}
_SERVER_FAULT = 500
_CUT_SLACK = 4
_BYTES_PER_TOKEN = 6
"""More bytes than a token of any text has on average: 4 in English, 4 to 5 in Korean."""
Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class OllamaFacts:
    """What Ollama says about one model."""

    window: int | None
    """Tokens that it was trained to read; None where that is not known."""
    capabilities: tuple[str, ...]
    family: str
    parameter_size: str
    quantization: str


class OllamaServer:
    """The official client, opened with its first call, with every failure mapped to an error of kebab. Thread-safe.

    Args:
        settings: Address, model and limits.
        api_key: Sent as a bearer token; None sends none, whatever the environment says.
        transport: Replaces the network in tests.

    Raises:
        ConfigInvalidError: The address is no HTTP address.
    """

    def __init__(
        self, settings: LlmSettings, *, api_key: str | None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self._endpoint = ModelEndpoint(
            server="Ollama",
            address=settings.endpoint or OLLAMA_ADDRESS,
            model=settings.model,
            setting="models.llm",
            product=Message("answers"),
            remedy=Remedy(kind="pull_served_model", name=settings.model),
            limits=ReplyLimits.of_settings(settings),
        )
        self._endpoint.require_http()
        self.errors = ServerErrors(self._endpoint)
        self._api_key = api_key
        self._transport = transport

    def call(self, ask: Callable[[Client], Item]) -> Item:
        """Return the result of one call of the client, which asks no model.

        Raises:
            ExternalError: The server does not answer, refuses, or answers something else.
        """
        with (
            self._watched(self._endpoint.limits.facts_only()) as reply,
            self._mapped_errors(reply),
            self._open(reply) as client,
        ):
            return ask(client)

    def stream(
        self, ask: Callable[[Client], Iterable[Item]], *, limits: ReplyLimits | None = None
    ) -> Generator[Item, None, None]:
        """Yield the parts of a streamed reply; closing the generator ends the request. Raises like `call`.

        Args:
            ask: Calls the client.
            limits: Limits of the reply; None is those of the settings.
        """
        with (
            self._watched(limits or self._endpoint.limits, is_framed=True) as reply,
            self._mapped_errors(reply),
            self._open(reply) as client,
            closing(cast("Generator[Item, None, None]", ask(client))) as parts,
        ):
            for part in parts:
                reply.has_begun = True
                reply.note_part()
                yield part

    def _watched(self, limits: ReplyLimits, *, is_framed: bool = False) -> WatchedReply:
        import httpx
        import ollama  # noqa: F401 - takes a while, which is none of the server's

        return WatchedReply(
            limits, name=self.errors.name, check=CHECK_LOAD, library=httpx, is_framed=is_framed
        )

    def _open(self, reply: WatchedReply) -> Client:
        import httpx
        from ollama import Client

        def authorize(request: httpx.Request) -> httpx.Request:
            # The client takes a key from the environment, which is not what the settings say.
            request.headers.pop("Authorization", None)
            if self._api_key:
                request.headers["Authorization"] = f"Bearer {self._api_key}"
            return request

        endpoint = self._endpoint
        return Client(
            endpoint.address,
            timeout=httpx.Timeout(endpoint.limits.silence_s, connect=endpoint.limits.connect_s),
            auth=authorize,
            event_hooks=reply.event_hooks,
            follow_redirects=False,
            trust_env=not endpoint.is_local,
            transport=self._transport,
        )

    @contextmanager
    def _mapped_errors(self, reply: WatchedReply) -> Iterator[None]:
        import httpx
        import ollama

        try:
            yield
        except ollama.ResponseError as error:
            # Errors inside of a stream come without a status.
            status = error.status_code if error.status_code > 0 else _SERVER_FAULT
            raise self.errors.refused(status, str(error.error)) from error
        except (ConnectionError, httpx.ConnectTimeout) as error:
            reply.raise_if_passed()
            raise self.errors.unreachable(str(error) or "no answer") from error
        except httpx.TimeoutException as error:
            raise self.errors.passed("silence") from error
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, httpx.CookieConflict) as error:
            reply.raise_if_passed()
            fail = self.errors.broken_off if reply.has_begun else self.errors.unreachable
            raise fail(str(error)) from error
        except (AttributeError, TypeError, ValueError, ollama.RequestError) as error:
            # No JSON, or JSON of another shape: the client does not check what it takes apart.
            raise self.errors.unexpected("a frame of another shape") from error


class OllamaModel:
    """Implements `LanguageModel` by Ollama. Thread-safe.

    Roles, `num_ctx`, `num_predict`, stop sequences, seed, temperature, a schema of the reply, pictures and `keep_alive` are sent. A model that can think first is told not to.

    Args:
        settings: Name of the model, and limits.
        server: The server.
    """

    def __init__(self, settings: LlmSettings, server: OllamaServer) -> None:
        self._settings = settings
        self._server = server
        self._facts: OllamaFacts | None = None

    def model_ref(self) -> ModelRef:
        """Return the name of the settings."""
        return ModelRef(id=self._settings.model, provider=self._settings.provider)

    def context_tokens(self) -> int:
        """Return the size of the window: that of the settings, or that of the model where it is smaller.

        Raises:
            ModelUnreachableError: Ollama does not answer.
            ModelNotPulledError: It does not have the model.
        """
        return min(self._settings.context_tokens, self._show().window or self._settings.context_tokens)

    def generate_stream(self, request: GenerateRequest) -> Iterator[TokenChunk]:
        """Yield text as it arrives, then the end. See `LanguageModel`.

        Raises:
            ContextOverflowError: Ollama has cut the beginning of the prompt off, or refuses it as too long.
        """
        window, generation = self.context_tokens(), Generation(request.max_tokens)
        with closing(self._server.stream(lambda client: self._chat(client, request, window))) as parts:
            for part in parts:
                yield from generation.text(part.message.content or "")
                if part.done:
                    prompt_tokens = part.prompt_eval_count or 0
                    if _is_cut(request, prompt_tokens=prompt_tokens, window=window):
                        raise self._server.errors.overflow(f"{prompt_tokens} tokens were read")
                    if part.eval_count is not None:
                        generation.usage = TokenUsage(
                            prompt_tokens=prompt_tokens,
                            completion_tokens=part.eval_count,
                            latency_ms=(part.total_duration or 0) // 1_000_000,
                        )
                    reason = _REASONS.get(part.done_reason, FinishReason.ERROR)
                    error = part.done_reason if reason is FinishReason.ERROR else None
                    yield from generation.done(reason, error=error)
                    return
                if generation.is_over_limit:
                    yield from generation.done(FinishReason.LENGTH)
                    return
        raise self._server.errors.broken_off("no last frame")

    def _chat(self, client: Client, request: GenerateRequest, window: int) -> Iterator[ChatResponse]:
        options: Mapping[str, object] = {
            "num_ctx": window,
            "num_predict": request.max_tokens,
            "temperature": request.temperature,
            **({} if request.seed is None else {"seed": request.seed}),
            **({"stop": list(request.stop)} if request.stop else {}),
        }
        return client.chat(
            self._settings.model,
            [_message(each) for each in request.messages],
            stream=True,
            think=False if _THINKING in self._show().capabilities else None,
            format=request.json_schema,
            options=options,
            keep_alive=self._settings.keep_alive,
        )

    def _show(self) -> OllamaFacts:
        if self._facts is None:
            self._facts = read_facts(self._server.call(lambda client: client.show(self._settings.model)))
        return self._facts


def read_facts(shown: ShowResponse) -> OllamaFacts:
    """Read what Ollama says about a model; parts that it does not tell are empty."""
    details, info = shown.details, shown.modelinfo or {}
    windows = [value for key, value in info.items() if key.endswith(".context_length")]
    return OllamaFacts(
        window=next((each for each in windows if isinstance(each, int) and each > 0), None),
        capabilities=tuple(shown.capabilities or ()),
        family=(details and details.family) or "",
        parameter_size=(details and details.parameter_size) or "",
        quantization=(details and details.quantization_level) or "",
    )


def _message(message: ChatMessage) -> dict[str, object]:
    pictures = {} if message.picture is None else {"images": [b64encode(message.picture).decode()]}
    return {"role": message.role, "content": message.text, **pictures}


def _is_cut(request: GenerateRequest, *, prompt_tokens: int, window: int) -> bool:
    """Tell whether Ollama has cut a prompt, which it does in silence.

    A prompt that does not fit is cut to half of the window, beginning with the instructions (ollama issues 3839, 17427).
    """
    if prompt_tokens >= window:
        return True
    size = sum(len(each.text.encode("utf-8", "replace")) for each in request.messages)
    return 0 <= prompt_tokens - window // 2 <= _CUT_SLACK and size > _BYTES_PER_TOKEN * prompt_tokens


def ollama_model(settings: LlmSettings, resources: ChatModelResources) -> OllamaModel:
    """A model of Ollama, on this machine if the settings name no other address.

    Raises:
        ConfigInvalidError: The address is none.
    """
    return OllamaModel(settings, OllamaServer(settings, api_key=resources.api_key))
