"""Any server that speaks OpenAI's interface: vLLM, llama.cpp, Ollama, TGI, hosted models.

What servers do not have in common (parameters, chat templates, streams) is found out by asking: a request
that is refused for one of these is sent again without it, and `settings` and `notes` say so.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, TypeVar

from fairlint.backends.allowed_answers import no_probabilities, scored_response
from fairlint.backends.extras import need
from fairlint.backends.from_thread import from_thread
from fairlint.backends.model import Finished, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.requests import Message, Request, chat, completion
from fairlint.backends.server_address import address_of, api_key, basic, gets_environment, withheld
from fairlint.backends.server_answers import (
    LONGEST_TOLD,
    BrokenError,
    NoReplyError,
    NoStreamError,
    Said,
    as_json,
    no_sense,
    read_stream,
    whole,
)
from fairlint.backends.server_scoring import FEWER_LISTED, MOST_LISTED, echoed_answers, known_probabilities
from fairlint.backends.server_words import NO_SUCH_MODEL, SHOWN_NAMES, RefusedError, Words
from fairlint.support.records import Record, replace

_Item = TypeVar("_Item")

NO_KEY = "none"  # what a server that wants no key gets
ENDS = {"stop": "end", "eos": "end", "eos_token": "end"}
FILTERED = ("content_filter", "content_policy_violation")
SAMPLED = ("seed", "temperature", "top_p")
OPTIONAL = ("max_tokens", "stream_options", "stream", *SAMPLED)
NO_SUCH_PARAMETER = re.compile(
    r"unsupported|n[o']t support|unrecogni[sz]ed|unknown|unexpected|not (permitted|allowed)|extra_forbidden"
)
NO_CHAT = re.compile(r"chat.?template|template (error|not found)|not a chat model")
SIZES = {"n_params": "parameters", "size": "bytes"}
PROBE = Request("", "", "", "", "", 0, 1, (Message("user", "Hello"),), "")
PROBE_TOKENS = 16  # some reasoning models refuse fewer
LONGEST_PAUSE = 8.0  # seconds, as the openai package's own
LONGEST_WAIT = 120.0  # seconds that a server may ask for with Retry-After: the openai package waits no longer
LONGEST_NAME = 500  # characters of a model's name
MOST_VERSIONS = 100
LISTING = 30.0  # seconds for the list of models: some servers that answer well fail at this one


class Counted(Record, frozen=False):
    """Of how many answers the server has not told the tokens. Their new tokens are then the pieces that came,
    and their prompts' are left out, so that the totals are a lower bound.
    """

    answers: int = 0
    stopped: int = 0
    """Those that were stopped before it could."""
    untold: int = 0
    """Those that came whole."""


def load(where: str, options: ModelOptions) -> OpenAIServer:
    """Return a model of a server; without a name the only one that it has.

    The server is asked for its models and for the first token of an answer, so that a wrong key, name or
    address shows at once. Raises ModelError.
    """
    server = OpenAIServer(where, options)
    server.connect()
    return server


def look_up(names: Sequence[str], options: ModelOptions) -> dict[str, str]:
    """Return those names that the server does not answer to, with the reason.

    What it lists it has. With the others it is asked a short question: a name may stand for one on the list.
    """
    server = OpenAIServer("", options)
    try:
        listed = server.listed()
    except ModelError as error:
        return dict.fromkeys(names, str(error))
    wrong: dict[str, str] = {}
    for name in names:
        if name in listed:
            continue
        try:
            OpenAIServer(name, options).connect()
        except ModelError as error:
            wrong[name] = str(error)
    return wrong


class OpenAIServer:
    """A model behind an OpenAI-compatible server."""

    def __init__(self, where: str, options: ModelOptions) -> None:
        self._openai = need("openai", "openai")
        self._address = address_of(options)
        self._key = api_key(options, self._address.url)
        self._timeout = options.timeout
        self._retries = max(0, options.retries)
        self._words = Words(
            self._address.url,
            self._address.secrets,
            key=self._key,
            withheld=withheld(options),
            timeout=self._timeout,
            retries=self._retries,
        )
        self._concurrency = max(1, options.concurrency)
        self._asked_chat = options.chat
        self._chat = options.chat is not False
        self._limit = "max_tokens"
        self._most_listed = MOST_LISTED
        self._dropped: list[str] = []
        self._tried: set[str] = set()
        self._listed: list[str] = []
        self._unlisted = ""
        self._extra: dict[str, Any] = {}
        self._answered_as: dict[tuple[str, str], None] = {}
        self.name = where
        self.revision = "unknown"
        self.counted = Counted()
        self.written = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """The address, the way of asking and what the server does not take. No secrets."""
        return {
            "backend": "openai",
            "base_url": self._address.url,
            "chat": self._chat,
            "dropped": sorted(set(self._dropped) & set(SAMPLED)),
            "openai": str(self._openai.__version__),
            **self._extra,
        }

    @property
    def notes(self) -> Sequence[str]:
        """What a reader of the figures should know, a line each."""
        told = [f"the server does not take {name}, so it was asked without" for name in self._dropped]
        if self._asked_chat is None and not self._chat:
            told.append("the server has no chat for this model, so it was asked for completions")
        if len(self._answered_as) > 1:
            versions = [self._words.clean(" ".join(version)) for version in self._answered_as]
            more = [f"{len(versions) - SHOWN_NAMES} more"] if len(versions) > SHOWN_NAMES else []
            told.append(f"several versions answered: {', '.join(versions[:SHOWN_NAMES] + more)}")
        counted = self.counted
        if counted.stopped:
            told.append(
                f"tokens are an estimate: {counted.stopped} of {counted.answers} answers were stopped before"
                " the server told theirs"
            )
        if counted.untold:
            some = f"{counted.untold} of {counted.answers} answers"
            told.append(f"the server did not tell the tokens of {some}")
        return told

    def listed(self) -> Sequence[str]:
        """Return the models that it says it has; some servers do not say. Raises ModelError where nobody
        answers.
        """
        return [entry["id"] for entry in self._fetch_model_list()]

    def connect(self) -> None:
        """Find out which model is meant and how the server wants to be asked. Raises ModelError."""
        listed = self._fetch_model_list()
        self._listed = [entry["id"] for entry in listed]
        self.name = self.name or self._only_model_name()
        entry = next((entry for entry in listed if entry["id"] == self.name), {})
        if entry.get("owned_by") == "llamacpp":
            # An answer that goes on from a remembered prompt depends on what else was asked.
            self._extra = {"cache_prompt": False}
        self._probe_server(Sampling(PROBE_TOKENS))
        # `created` is left out: with vLLM and llama.cpp it is the time of the question.
        meta = entry["meta"] if isinstance(entry.get("meta"), dict) else {}
        told = [model for model, _ in self._answered_as][:1]
        told += [
            f"{meta[key]} {unit}"
            for key, unit in SIZES.items()
            if isinstance(meta.get(key), int | float | str) and meta[key]
        ]
        self.revision = self._words.clean(", ".join(told)) or "unknown"

    def sampling(self, wanted: Sampling) -> Sampling:
        """Without what the server refuses, which a short question finds out. Raises ModelError."""
        given = {name for name in ("temperature", "top_p") if getattr(wanted, name) is not None}
        if given - self._tried:
            self._probe_server(replace(wanted, max_new_tokens=PROBE_TOKENS))
            self._tried |= given
        return replace(wanted, **dict.fromkeys(given.intersection(self._dropped)))

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield all requests' answers as they come, so many asked for at a time as the options say.

        An answer that is not kept yet counts as one of these, so that no more are lost to a kill. After a
        failure those that are under way are waited for; then it is raised as ModelError.
        """

        async def answers(put: Callable[[Response], Awaitable[None]]) -> None:
            waiting = iter(requests)
            failures: list[Exception] = []

            async def worker(client: Any) -> None:
                for request in waiting:
                    try:
                        await put(self._noted(*await self._answer(client, request, sampling, finished)))
                    except Exception as error:
                        failures.append(error)
                    if failures:
                        return

            async with self._api_client(sampling.max_new_tokens) as client:
                await asyncio.gather(*(worker(client) for _ in range(min(self._concurrency, len(requests)))))
            if failures:
                raise failures[0]

        with closing(from_thread(answers)) as batches:
            yield from batches

    def score(self, requests: Sequence[Request], tokens: int) -> Iterator[Sequence[Response]]:
        """Yield how likely answers are as they come: in a chat that a text begins with them, as far as the
        likeliest tokens tell; else that they stand there whole (see `server_scoring.py`).
        """
        sampling = Sampling(tokens, temperature=1.0, early_stop=False)
        return self.answer(requests, sampling, lambda _request, _text: None)

    def close(self) -> None:
        """Nothing to give back: connections end with the answers they are for."""

    def _api_client(self, tokens: int | None) -> Any:
        """Return what asks for answers of so many tokens; with None for the list of models."""
        from fairlint.backends.server_client import (  # noqa: PLC0415 (half a second, and an extra)
            LARGEST_LIST,
            MOST_LISTED,
            MOST_VALUES,
            LimitedClient,
            largest_reply,
        )

        login = self._address.login
        listing = tokens is None
        return self._openai.AsyncOpenAI(
            api_key=self._key or NO_KEY,
            base_url=self._address.url,
            # Some servers that answer well fail at their list, so it is not tried for long.
            max_retries=min(self._retries, 2) if listing else self._retries,
            default_query=dict(self._address.query),
            default_headers={"Authorization": f"Basic {basic(login)}"} if login else None,
            http_client=LimitedClient(
                seconds=min(self._timeout, LISTING) if listing else self._timeout,
                largest=LARGEST_LIST if tokens is None else largest_reply(tokens),
                most=MOST_LISTED if listing else MOST_VALUES,
                environment=gets_environment(self._address.url),
                # A proxy that the environment names does not reach what runs on this machine.
                proxies=not self._address.loopback,
            ),
        )

    def _run(self, tokens: int | None, work: Callable[[Any], Awaitable[_Item]]) -> _Item:
        async def once(put: Callable[[_Item], Awaitable[None]]) -> None:
            async with self._api_client(tokens) as client:
                await put(await work(client))

        with closing(from_thread(once)) as batches:
            [[found]] = list(batches)
        return found

    def _fetch_model_list(self) -> list[dict[str, Any]]:
        """Return what the server lists. Raises ModelError where nobody is there, or wants another key."""
        found = self._run(None, self._asked_for_models)
        if isinstance(found, ModelError):
            raise found  # here, where no exception that knows the request's headers is its context
        return found

    async def _asked_for_models(self, client: Any) -> list[dict[str, Any]] | ModelError:
        try:
            body = await client.get("/models", cast_to=object)
        except self._openai.APIStatusError as error:
            if error.status_code in (401, 403):
                return self._words.refusal(error, self.name, self._listed)
            self._unlisted = f"it refuses to list them ({error.status_code})"
        except (NoReplyError, TimeoutError):
            self._unlisted = f"the list took longer than {min(self._timeout, LISTING):g} s"
        except self._openai.APIConnectionError as error:
            return self._words.unreachable(error)
        except BrokenError as error:
            self._unlisted = str(error)
        except Exception as error:  # of several packages: see `_sent`
            self._unlisted = str(no_sense(error))
        else:
            listed = body.get("data") if isinstance(body, dict) else None
            entries = listed if isinstance(listed, list) else []
            return [
                entry
                for entry in entries
                if isinstance(entry, dict)
                and isinstance(entry.get("id"), str)
                and len(entry["id"]) <= LONGEST_NAME
            ]
        return []

    def _only_model_name(self) -> str:
        if len(self._listed) == 1:
            return self._listed[0]
        why = f" ({self._words.clean(self._unlisted)})" if self._unlisted else ""
        told = (
            f"several models: name one of {self._words.names(self._listed, self.name)}"
            if self._listed
            else f"no list of models: name one{why}"
        )
        raise ModelError(f"{self._address.url} has {told}")

    def _probe_server(self, sampling: Sampling) -> None:
        with suppress(RefusedError):  # a real request is refused as clearly, if it is at all
            self._run(
                sampling.max_new_tokens,
                lambda client: self._answer(client, PROBE, sampling, lambda _request, _text: 0),
            )

    def _request_payload(self, request: Request, sampling: Sampling) -> dict[str, Any]:
        stream = sampling.early_stop and "stream" not in self._dropped
        payload = {
            "model": self.name,
            self._limit if self._chat else "max_tokens": sampling.max_new_tokens,
            "seed": request.seed & 0x7FFFFFFF,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "stream": stream or None,
            "stream_options": {"include_usage": True} if stream else None,
            "extra_body": {**self._extra, **({} if sampling.top_k is None else {"top_k": sampling.top_k})}
            or None,
        }
        payload |= {"messages": chat(request)} if self._chat else {"prompt": completion(request)}
        return {
            name: value for name, value in payload.items() if value is not None and name not in self._dropped
        }

    def _scoring_payload(self, request: Request, sampling: Sampling) -> dict[str, Any]:
        payload = self._request_payload(request, sampling)
        if "messages" in payload:
            return payload | {"logprobs": True, "top_logprobs": self._most_listed}
        texts = [one.text for one in echoed_answers(payload["prompt"], request.allowed)]
        return payload | {"prompt": texts, "echo": True, "logprobs": 1, "max_tokens": 1}

    def _build_scored_response(self, request: Request, payload: Mapping[str, Any], came: Any) -> Response:
        """Return the probabilities that a server tells. Raises ModelError where it tells none."""
        said = whole(came, lambda _text: None, self._note_version)
        known = known_probabilities(request, came, is_chat="messages" in payload)
        if known is None:
            raise no_probabilities(self.name, f"{self._address.url} sends no logprobs")
        return scored_response(
            request, known.probabilities, known.at_most, read=said.tokens.prompt, written=said.tokens.new
        )

    def _adapt_to_scoring_error(self, payload: Mapping[str, Any], error: Any) -> bool:
        """Return whether fewer likeliest tokens are asked for next. Raises ModelError where none are told."""
        words = f"{error.message[:LONGEST_TOLD]} {as_json(error.body)}".lower()
        if error.status_code not in (400, 404, 422, 501) or not re.search(r"logprobs|\becho\b", words):
            return False
        if payload.get("top_logprobs", 0) > FEWER_LISTED and "top_logprobs" in words:
            self._most_listed = FEWER_LISTED
            return True
        raise no_probabilities(self.name, f"{self._address.url} refuses to send logprobs") from None

    async def _answer(
        self, client: Any, request: Request, sampling: Sampling, finished: Finished
    ) -> tuple[Response, bool]:
        """Return what the server answers, and whether its tokens are an estimate."""
        seconds = (self._retries + 1) * (self._timeout + LONGEST_WAIT)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                return await self._attempt_request(client, request, sampling, finished)
        raise self._words.endless(seconds)

    async def _attempt_request(
        self, client: Any, request: Request, sampling: Sampling, finished: Finished
    ) -> tuple[Response, bool]:
        broken = 0
        failure: ModelError | None = None
        while failure is None:
            build = self._scoring_payload if request.allowed else self._request_payload
            payload = build(request, sampling)
            given = "" if "messages" in payload else request.header
            endpoint = client.chat.completions if "messages" in payload else client.completions

            def enough(text: str, request: Request = request, given: str = given) -> int | None:
                end = finished(request, given + text) if sampling.early_stop else None
                return None if end is None else max(0, end - len(given))

            try:
                came = await self._send_payload(endpoint, payload)
                if request.allowed:
                    return self._build_scored_response(request, payload, came), False
                if "stream" in payload:
                    said = await read_stream(came, enough, self._note_version)
                else:
                    said = whole(came, enough, self._note_version)
                return self._build_response(request, given, said), not said.tokens.told
            except NoStreamError:
                self._drop_parameter("stream")
            except (BrokenError, NoReplyError, TimeoutError) as error:
                broken += 1
                if broken > self._retries:
                    failure = self._words.broken(error, broken)
            except self._openai.APIConnectionError as error:
                failure = self._words.unreachable(error)
            except self._openai.APIStatusError as error:
                if error.code in FILTERED:
                    return Response(request, "", given, "content_filter"), False
                if request.allowed and self._adapt_to_scoring_error(payload, error):
                    continue
                if not self._adapt_to_error(payload, error):
                    failure = self._words.refusal(error, self.name, self._listed)
            if broken and failure is None:
                await asyncio.sleep(min(0.5 * 2 ** (broken - 1), LONGEST_PAUSE))
        raise failure  # here, where no exception that knows the request's headers is its context

    async def _send_payload(self, endpoint: Any, payload: Mapping[str, Any]) -> Any:
        try:
            return await endpoint.create(**payload)
        except (
            self._openai.APIStatusError,
            self._openai.APIConnectionError,
            BrokenError,
            NoReplyError,
            TimeoutError,
        ):
            raise
        except Exception as error:  # of several packages, which meet types that they do not expect
            raise no_sense(error) from None

    def _build_response(self, request: Request, given: str, said: Said) -> Response:
        text = self._words.without_secrets(said.text if said.end is None else said.text[: said.end])
        finish = self._words.clean(said.finish or "unknown")
        return Response(
            request,
            text,
            given,
            ENDS.get(finish, finish) if said.end is None else "complete",
            said.tokens.prompt,
            said.tokens.new or said.pieces,
        )

    def _noted(self, response: Response, estimated: bool) -> Response:
        is_stopped = response.finish == "complete"
        self.counted.answers += 1
        self.counted.stopped += estimated and is_stopped
        self.counted.untold += estimated and not is_stopped
        return response

    def _note_version(self, came: Any) -> None:
        self.written += 1  # a piece of a stream is a token with most servers
        model, version = (
            told[:LONGEST_NAME] if isinstance(told := getattr(came, name, None), str) else ""
            for name in ("model", "system_fingerprint")
        )
        if len(self._answered_as) < MOST_VERSIONS:
            self._answered_as.setdefault((model or self.name, version))

    def _drop_parameter(self, name: str) -> None:
        if name not in self._dropped:
            self._dropped.append(name)

    def _adapt_to_error(self, payload: Mapping[str, Any], error: Any) -> bool:
        """Return whether the next request will differ from this one in what the server does not take."""
        words = f"{error.message[:LONGEST_TOLD]} {as_json(error.body)}".lower()
        status = error.status_code
        if status not in (400, 404, 405, 422, 501):
            return False
        if self._asked_chat is None and "messages" in payload and not self._answered_as:
            nowhere = status in (404, 405, 501) and not NO_SUCH_MODEL.search(words)
            if nowhere or NO_CHAT.search(words):
                self._chat = False
                return True
        if not NO_SUCH_PARAMETER.search(words):
            return False
        named = [name for name in OPTIONAL if name in payload and re.search(rf"\b{name}\b", words)]
        name = error.param if error.param in named else next(iter(named), None)
        if name == "max_tokens" and "messages" in payload:
            self._limit = "max_completion_tokens"
        elif name is None or name == "max_tokens":
            return False
        else:
            self._drop_parameter(name)
        return True
