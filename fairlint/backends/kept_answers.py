"""An answer as run folders keep it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlint.backends.model import Response
from fairlint.backends.requests import key_of
from fairlint.run_folders.jsonl import KEY


def kept_of(response: Response) -> dict[str, Any]:
    """Return an answer as a line of `responses.jsonl`."""
    request = response.request
    return {
        KEY: key_of(request),
        "suite": request.suite,
        "scenario": request.scenario,
        "attribute": request.attribute,
        "list": request.stereotype,
        "subject": request.subject,
        "sample": request.sample,
        "seed": request.seed,
        "prompt": request.prompt_hash,
        "asked": request.messages[-1].content,
        "given": response.given,
        "text": response.text,
        "finish": response.finish,
        "prompt_tokens": response.prompt_tokens,
        "new_tokens": response.new_tokens,
        **({"turn": request.turn} if request.turn else {}),
        **({"role": request.role} if request.role else {}),
        **({"perturbation": request.perturbation} if request.perturbation else {}),
        **({"tests": list(request.tests)} if request.tests else {}),
        **probabilities_kept(response),
    }


def probabilities_kept(response: Response) -> dict[str, Mapping[str, float]]:
    """Return the probabilities of an answer as files keep them; nothing where it was drawn."""
    if not response.request.allowed:
        return {}
    return {"probabilities": response.probabilities, "at_most": response.at_most}
