"""What a backend is: something that answers requests, and says exactly what the answers depend on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol
from urllib.parse import urlsplit

from fairlint.backends.requests import Request
from fairlint.support.errors import UsageError
from fairlint.support.records import Record, field_names

Finished = Callable[[Request, str], int | None]
"""How many characters of a text are the whole answer to a request, so that no more is needed; None where more
has to come. The text is what the model was given to go on from, and what it wrote so far."""


class ModelError(UsageError):
    """Why a model cannot be loaded or cannot answer: one line that says what to do."""


class Intervention(Protocol):
    """A change of what a model computes that stays in it, such as `fairlint.model_bias.ablation.Ablation`."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the answers depend on by it, as JSON."""

    def attach(self, model: Any, name: str, revision: str) -> None:
        """Put it into a model of transformers. Raises ModelError where it does not fit."""


class ModelOptions(Record):
    """How a model is to be loaded and asked. A backend takes what concerns it."""

    device: str = "auto"
    """`auto`, `cpu`, `cuda`, `cuda:1`, `mps`."""
    dtype: str = "auto"
    """`auto`, `float32`, `bfloat16` or `float16`."""
    batch_size: int = 0
    """How many answers are written at a time; 0 finds out."""
    chat: bool | None = None
    """Whether the model is asked as an assistant; None where the model itself says so."""
    revision: str = ""
    """Which commit of a hub model."""
    trust_remote_code: bool = False
    """Whether the model's own Python code may be loaded."""
    base_url: str = ""
    """Where a server is."""
    api_key: str = ""
    """What a server asks for; never printed or stored. Empty: what the environment has for this server."""
    timeout: float = 120.0
    """Seconds that one try of a server's answer may take, from the connection to the last byte."""
    concurrency: int = 8
    """How many requests a server gets at a time."""
    retries: int = 5
    """How often a request is sent again after a failure that may pass."""
    cards: int = 0
    """How many accelerators share a model; 0 takes what is there."""
    tensor_parallel: int = 0
    """vLLM: on how many cards the parts of each layer lie; 0: on as many as there are and can share."""
    pipeline_parallel: int = 0
    """vLLM: on how many cards, or sets of them, the layers lie; 0: on one."""
    engine: str = ""
    """vLLM: what runs its processes: `mp`, `ray`, or `ray:HOST:PORT`; empty: vLLM's choice."""
    engine_options: Mapping[str, Any] = {}
    """vLLM: any other keyword arguments of its `LLM`."""
    cluster: str = ""
    """The Ray whose actors hold the model: `ray`, `ray:HOST:PORT` or `ray://HOST:PORT`; empty: none."""
    devices: tuple[str, ...] = ()
    """Devices that each hold the whole model and share the requests (see `devices.py`); empty: `device`."""
    adapter: str = ""
    """A folder with what was trained beside the weights (LoRA), which is merged into them."""
    intervention: Intervention | None = None
    """What is changed within the model; only weights that transformers loads can be."""

    def __repr__(self) -> str:
        told = {name: getattr(self, name) for name in field_names(self)}
        if self.api_key:
            told["api_key"] = "***"
        if self.base_url:
            told["base_url"] = without_secrets(self.base_url)
        return f"ModelOptions({', '.join(f'{name}={value!r}' for name, value in told.items())})"


def without_secrets(address: str) -> str:
    """Return an address as it may be shown: scheme, host, port and path, and that there is a query, not
    which.

    Where passwords or keys might hide in what is left, and for what is no address, it is `URL`.

    >>> without_secrets("https://me:pw@host:8000/v1?key=abc#def")
    'https://host:8000/v1?QUERY'
    >>> without_secrets("https://me:p/w@host/v1")
    'URL'
    """
    try:
        parts = urlsplit(address.strip())
        known = bool(parts.scheme and parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    # an @ behind the host: it may be the end of a password that holds /, ? or #
    if not known or "@" in f"{parts.path}{parts.query}{parts.fragment}":
        return "URL"
    place = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{place}{parts.path}{'?QUERY' if parts.query else ''}"


class Sampling(Record):
    """How tokens are drawn."""

    max_new_tokens: int
    temperature: float | None = None
    """0 takes the likeliest token always; None is the model's own."""
    top_p: float | None = None
    """None is the model's own."""
    early_stop: bool = True
    """Whether an answer ends as soon as `Finished` says so."""
    top_k: int | None = None
    """From how many of the likeliest tokens one is drawn, 0 from all; None is the model's own."""


class Response(Record):
    """What a model wrote when it was asked once."""

    request: Request
    text: str
    """What it wrote, nothing else; up to the end of the answer, where it was stopped there."""
    given: str
    """What its text goes on from, such as the head of a function; empty where it was asked in a chat."""
    finish: str
    """`end`: the model ended it; `complete`: the answer was complete, so it was stopped; `length`: it was cut
    at the token limit; anything else is what a server says."""
    prompt_tokens: int = 0
    new_tokens: int = 0
    probabilities: Mapping[str, float] = {}
    """Allowed answer → the natural logarithm of its probability, where a request allows some."""
    at_most: Mapping[str, float] = {}
    """Allowed answer → the same of the most that it can be, where that is all that is known for sure."""


class Model(Protocol):
    """A model that is loaded, or a server that answers.

    It may count in `written` how many tokens it has written since it was loaded, those of answers that are
    not done included: then progress shows them before the first answer is there.
    """

    name: str
    """As reports show it."""
    revision: str
    """What tells this very model from a later one of the same name: a commit or hash; else `unknown`."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What else its answers depend on, as JSON: backend, versions, the numbers' format. No secrets."""

    def sampling(self, wanted: Sampling) -> Sampling:
        """Return the same with the model's own values where `wanted` has None."""

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Return all requests' answers, some at a time as they come, in any order.

        An answer depends on its request's text and seed, and not on what else is asked, as far as the
        backend's arithmetic allows. Raises ModelError.
        """

    def close(self) -> None:
        """Give back what it holds; closing twice does no harm."""


Load = Callable[[str, ModelOptions], Model]
"""A backend: loads what a name, a folder, a file or an address stands for."""
