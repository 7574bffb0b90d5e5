"""Whether the Hugging Face hub can be reached, and whether it has what was named, before anything loads.

The hub's own package would wait for ten seconds a try, with several tries a file, and many files. Here one
question is asked, for a few seconds. Where nobody answers, the package is put into its offline mode: what
lies in its cache loads as ever, and all else is told at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from threading import Thread
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.weights import hub_refusal, unreachable

PATIENCE = 3.0
"""Seconds that the hub has for its first answer, the look-up of its name included."""
SIDE_BY_SIDE = 8
"""Names that are looked up at a time."""
CONFIG = "config.json"
"""The file that each model has which transformers or vLLM can load."""
OFFLINE = "HF_HUB_OFFLINE"


def ready(extra: str) -> bool:
    """Return whether the hub answers; where not, its package asks nobody any more, nor do processes begun
    later.

    `extra` is the extra of fairlint that brings the package. Raises ModelError where it is missing.
    """
    constants: Any = need("huggingface_hub.constants", extra)
    if constants.HF_HUB_OFFLINE:
        return False
    if _is_reachable(constants.ENDPOINT):
        return True
    os.environ[OFFLINE] = "1"
    constants.HF_HUB_OFFLINE = True
    return False


def look_up(models: Mapping[str, str], extra: str) -> dict[str, str]:
    """Return those hub ids that cannot be had, with the reason in one line. `models`: id → revision, or
    nothing.

    What lies in the cache is not asked for. A hub that is too busy to tell is believed to have all.
    """
    hub = need("huggingface_hub", extra)
    missing = {
        where: revision
        for where, revision in models.items()
        if not isinstance(hub.try_to_load_from_cache(where, CONFIG, revision=revision or None), str)
    }
    if not missing:
        return {}
    if not ready(extra):
        return {where: unreachable(where) for where in missing}
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 (only who asks the hub needs it)

    def reason(where: str) -> str:
        return _hub_refusal_reason(hub, where, missing[where])

    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        return {where: told for where, told in zip(missing, pool.map(reason, missing), strict=True) if told}


def _hub_refusal_reason(hub: Any, where: str, revision: str) -> str:
    """Return why the hub does not give a model; empty where it does, or says nothing about it."""
    url = hub.hf_hub_url(where, CONFIG, revision=revision or None)
    try:
        hub.get_hf_file_metadata(url, timeout=PATIENCE)
    except Exception as error:
        return hub_refusal(where, error, revision) or ""
    return ""


@cache
def _is_reachable(endpoint: str) -> bool:
    """Return whether anything comes back from there in time, be it an error."""
    came: list[Any] = []

    def ask() -> None:
        session = need("huggingface_hub.utils", "bench").get_session()
        try:
            came.append(session.head(endpoint, timeout=PATIENCE))
        except Exception:  # whatever it is: no answer
            return

    # its timeouts are for each step of a connection, and a name server may take its time as well
    asking = Thread(target=ask, name="fairlint-hub", daemon=True)
    asking.start()
    asking.join(PATIENCE)
    return bool(came)
