"""One model in actors of Ray: each holds all of it on a card of its own, and they share the requests.

An actor that dies is started again by Ray, and what it was at is asked again: its answers come together, so
none is there twice. An answer depends on its request's text and seed, so it does not matter which actor gives
it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from fairlint.backends.devices import ALL
from fairlint.backends.extras import need
from fairlint.backends.model import Finished, Model, ModelError, ModelOptions, Response, Sampling
from fairlint.backends.names import Found
from fairlint.backends.requests import Request
from fairlint.engines.ray_cluster import RayActors, join_ray, ray_address
from fairlint.support.records import Record, replace

EXTRA = "ray"
SHARES: Mapping[str, int] = {"cpu": 32}
"""Device → requests that an actor gets at a time: those of a batch, for all that it has not answered is asked
again where it dies."""
SHARE = 256
"""The same for accelerators, which write more side by side."""
NO_CARD = frozenset({"cpu", "mps"})
Load = Callable[[ModelOptions], Model]
_Task = tuple[Sequence[Request], Sampling, Finished]
_Answers = tuple[Sequence[Response], Sequence[str]]
"""What an actor has answered, and its notes."""


def wanted_devices(text: str | None) -> tuple[str, ...]:
    """Return the devices of `--devices` in a cluster: names, or `auto` for each of a number.

    Empty stands for all cards that there are. Raises ModelError for what is no device.

    >>> [wanted_devices(text) for text in (None, "all", "2", "cpu,cpu")]
    [(), (), ('auto', 'auto'), ('cpu', 'cpu')]
    """
    if text is None or text == ALL:
        return ()
    found = ("auto",) * int(text) if text.isdecimal() else tuple(part.strip() for part in text.split(","))
    if not found or not all(found):
        raise ModelError(f"--devices {text}: names with commas between, a number from 1, or {ALL}")
    return found


def load_in_actors(found: Found, options: ModelOptions, load: Load) -> Model:
    """Return a model in actors of the Ray at `options.cluster`.

    `load` loads it in each. The first actor does so alone, so that what has to be downloaded or converted is
    so once; then the others do. Raises ModelError where one cannot.
    """
    ray: Any = need("ray", EXTRA)
    join_ray(ray, ray_address(options.cluster) or "")
    return RayModel(ray, found.name, options, load, places_of(ray.cluster_resources(), options))


class Place(Record):
    """Where an actor runs."""

    device: str
    """As the backend is told it: an actor sees its own cards alone."""
    cards: int
    threads: int
    """Threads of a processor; 0: as many as the backend takes."""


class Actor:
    """What Ray runs: a model, loaded when it starts, and again when it is started again."""

    def __init__(self, folder: str, load: Load, options: ModelOptions) -> None:
        with suppress(OSError):  # on another machine, names of files may have to be whole
            os.chdir(folder)
        self._model: Model | None = None
        self._failure = ""
        try:
            self._model = load(options)
        except ModelError as error:
            self._failure = str(error)
        except Exception as error:
            self._failure = f"internal error: {type(error).__name__}: {' '.join(str(error).split())}"

    def about(self) -> dict[str, Any]:
        """Return name, revision and settings of the model, or why it cannot be loaded."""
        if self._model is None:
            return {"failure": self._failure}
        model = self._model
        return {"name": model.name, "revision": model.revision, "settings": dict(model.settings)}

    def sampling(self, wanted: Sampling) -> Sampling:
        """As the model says."""
        return self._loaded().sampling(wanted)

    def answer(self, task: _Task) -> _Answers:
        """Return all answers to a share of the requests."""
        model = self._loaded()
        requests, sampling, finished = task
        found = [one for some in model.answer(requests, sampling, finished) for one in some]
        return found, list(getattr(model, "notes", ()))

    def _loaded(self) -> Model:
        if self._model is None:
            raise ModelError(self._failure)
        return self._model


class RayModel:
    """A model that actors hold."""

    def __init__(
        self,
        ray: Any,
        name: str,
        options: ModelOptions,
        load: Load,
        places: Sequence[Place],
    ) -> None:
        self.name = name
        self.notes: list[str] = []
        self._pool: RayActors[_Task, _Answers] = RayActors(ray, Actor, "answer", self._loss)
        alone = replace(options, cluster="", devices=())
        try:
            for some in (places[:1], places[1:]):
                for place in some:
                    self._pool.start(
                        _resources(place), str(Path.cwd()), load, replace(alone, device=place.device)
                    )
                told = self._pool.each("about")
                if failure := next((one["failure"] for one in told if "failure" in one), ""):
                    raise ModelError(failure)
            first = told[0]
            if any(one != first for one in told):
                raise ModelError(
                    "--engine ray: the model is not the same in all actors, so answers would not be: they "
                    "need devices of one kind, and the same versions on all machines"
                )
        except BaseException:
            self.close()
            raise
        self.name = first["name"]
        self.revision: str = first["revision"]
        self.settings: Mapping[str, Any] = first["settings"]
        device = str(self.settings.get("device", ""))
        self._share = options.batch_size or SHARES.get(device, SHARE)

    def sampling(self, wanted: Sampling) -> Sampling:
        """As the model says."""
        found: Sampling = self._pool.each("sampling", wanted)[0]
        return found

    def answer(
        self, requests: Sequence[Request], sampling: Sampling, finished: Finished
    ) -> Iterator[Sequence[Response]]:
        """Yield all answers, those of a share as they are done, whichever actor gives them."""
        size = max(1, min(self._share, math.ceil(len(requests) / self._pool.at_once)))
        shares = [requests[at : at + size] for at in range(0, len(requests), size)]
        left = len(shares)
        self._pool.submit([(share, sampling, finished) for share in shares])
        try:
            while left:
                for found, notes in self._pool.wait():
                    left -= 1
                    self.notes += [note for note in notes if note not in self.notes]
                    yield found
        finally:
            if left:
                self._pool.forget()

    def close(self) -> None:
        """End all actors."""
        self._pool.cancel()

    def _loss(self, error: Exception) -> Exception:
        """Return the error that a run ends with when Ray has given up: it can go on later."""
        cause = getattr(error, "cause", None)
        if isinstance(cause, ModelError):
            return ModelError(str(cause))
        reason = (str(error).strip().splitlines() or [""])[0].rstrip(".:")
        return ModelError(
            f"{self.name}: --engine ray: {type(error).__name__}: {reason}; --resume goes on with the run"
        )


def _resources(place: Place) -> dict[str, Any]:
    """Return what Ray is asked for: cards, and no core, for tasks that judge would wait for it for ever."""
    asked: dict[str, Any] = {"scheduling_strategy": "SPREAD", "num_cpus": 0, "num_gpus": place.cards}
    if place.threads:
        asked["runtime_env"] = {"env_vars": {"OMP_NUM_THREADS": str(place.threads)}}
    return asked


def places_of(there: Mapping[str, float], options: ModelOptions) -> list[Place]:
    """Return where actors run in a cluster that has such resources: one a card, or one on its cores.

    Raises ModelError where more cards are wanted than there are.
    """
    cards, cores, each = int(there.get("GPU", 0)), int(there.get("CPU", 1)), max(options.cards, 1)
    count = 1 if options.device in NO_CARD else max(cards // each, 1)
    names = [
        "cpu" if name == "auto" and not cards else name
        for name in options.devices or (options.device,) * count
    ]
    needed = each * sum(name not in NO_CARD for name in names)
    if needed > cards:
        raise ModelError(f"--engine {options.cluster}: {needed} GPUs are needed, and Ray has {cards}")
    threads = int(os.environ.get("OMP_NUM_THREADS") or max(1, cores // max(names.count("cpu"), 1)))
    return [
        Place(name, 0, threads)
        if name in NO_CARD
        else Place("auto" if each > 1 else name.partition(":")[0], each, 0)
        for name in names
    ]
