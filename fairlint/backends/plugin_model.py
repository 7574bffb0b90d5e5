"""A model that a plugin brings: what it does wrong is a line that names it, and its answers are looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from fairlint.backends.model import Finished, Model, ModelError, Response, Sampling
from fairlint.backends.requests import Request, key_of
from fairlint.plugins.guard import InvalidOfferError, PluginError, guest, plain

TEXTS = ("text", "given", "finish")


class BroughtModel:
    """The same model; at its mistakes a run ends as where a server fails, and what was answered is kept."""

    def __init__(self, plugin: str, model: Model) -> None:
        self._plugin = plugin
        self._model = model
        with self._guard_model_calls():
            if not callable(getattr(model, "answer", None)):
                raise InvalidOfferError(f"is a {type(model).__name__}, which answers nothing")
            self.name = _require_text(model.name, "name")
            self.revision = _require_text(model.revision, "revision")

    @contextmanager
    def _guard_model_calls(self) -> Iterator[None]:
        try:
            with guest(self._plugin, "its model", lets=(ModelError,)):
                yield
        except PluginError as error:
            raise ModelError(str(error)) from error

    def __getattr__(self, name: str) -> Any:
        """Return what a model may have besides: `requests`, `notes`."""
        return getattr(self._model, name)

    @property
    def settings(self) -> Mapping[str, Any]:
        """As the model says, in plain values."""
        with self._guard_model_calls():
            settings: Mapping[str, Any] = plain(self._model.settings)
            return settings

    def sampling(self, wanted: Sampling) -> Sampling:
        """As the model says."""
        with self._guard_model_calls():
            sampling = self._model.sampling(wanted)
            if type(sampling) is not Sampling:
                raise InvalidOfferError(f"gives a {type(sampling).__name__} for its Sampling")
            return sampling

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield the model's answers, each to a request that was made and has no answer yet."""
        open_requests = {key_of(request) for request in requests}
        with self._guard_model_calls():
            answers = iter(self._model.answer(requests, sampling, finished))
        while True:
            with self._guard_model_calls():
                batch = next(answers, None)
                for response in batch or ():
                    _check_response(response)
                    key = key_of(response.request)
                    if key not in open_requests:
                        raise InvalidOfferError("answers what it was not asked, or twice")
                    open_requests.remove(key)
            if batch is None:
                return
            yield batch

    def close(self) -> None:
        """Close the model."""
        with self._guard_model_calls():
            self._model.close()


def _check_response(response: object) -> None:
    if type(response) is not Response or type(response.request) is not Request:
        raise InvalidOfferError(f"must give Responses to Requests, not {type(response).__name__}")
    for name in TEXTS:
        _require_text(getattr(response, name), name)
    for name in ("prompt_tokens", "new_tokens"):
        if type(getattr(response, name)) is not int:
            raise InvalidOfferError(f"gives a Response whose `{name}` is no whole number")


def _require_text(value: object, name: str) -> str:
    if type(value) is not str:
        raise InvalidOfferError(f"gives a {type(value).__name__} as its `{name}`")
    return value
