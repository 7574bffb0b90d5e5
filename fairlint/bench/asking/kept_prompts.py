"""The prompts of a run, each once in `requests.jsonl` by its hash: the folder tells all that was asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from fairlint.backends.requests import Message, Request, chat, hash_of
from fairlint.run_folders.jsonl import KEY, RunFolderError
from fairlint.run_folders.run_folder import REQUESTS, Run, RunFolder


def keep_prompts(folder: RunFolder, asked: Iterable[Request]) -> None:
    """Write down the prompts that are not there yet.

    Of answers that are replayed the prompt may be known by its hash alone; these are left out.
    """
    done = folder.requests.done()
    new = {one.prompt_hash: one for one in asked if one.prompt_hash not in done}
    folder.requests.append(
        {KEY: name, "messages": chat(one)} for name, one in new.items() if hash_of(one.messages) == name
    )


def check_prompts(folder: RunFolder) -> None:
    """Raise RunFolderError for a prompt that is not what its hash says."""
    for _ in prompts_of(Run(folder.path, folder.settings)):
        pass


def prompts_of(run: Run) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Yield the prompts of a run: the hash, and the turns with `role` and `content`. Raises
    RunFolderError.
    """
    for number, line in enumerate(run.requests(), 1):
        messages = line.get("messages")
        if _messages_hash(messages) != line[KEY]:
            raise RunFolderError(
                f"{run.path / REQUESTS}:{number}: not the prompt that was asked: its hash is another"
            )
        yield line[KEY], list(messages or ())


def _messages_hash(messages: Any) -> str | None:
    try:
        return hash_of(_parse_message(one) for one in messages)
    except (KeyError, TypeError):
        return None


def _parse_message(told: Mapping[str, str]) -> Message:
    return Message(told["role"], told["content"])
