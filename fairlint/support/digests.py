"""Digests: short sums by which contents are told apart.

All that this module makes is BLAKE2b, of caches that can be made again. Modules with a digest of their own,
and whether it is an interface, which is written where others keep it and may not change, or free to change:

findings/fingerprints         interface  FNV-1a: `fairlint/v1` of SARIF and baselines
findings/identity             interface  CRC-32: `fairlint/v2` of SARIF and baselines
bundle/making                 interface  SHA-256: manifests of bundles
bundle/packing                interface  CRC-32: as ZIP has it
bundle/verifying              interface  SHA-256: manifests of bundles
cli/bundle                    interface  SHA-256: of a bundle, which a person writes down
checking/inputs               interface  SHA-256: the provenance of a report
support/files                 interface  SHA-256: of files, as `sha256sum` has it
support/checkouts             interface  SHA-256: as PyPI and Git LFS have it
support/git                   interface  SHA-1 and SHA-256: as git has them
rendering/html                interface  SHA-256: of what a page may load
testing                       interface  SHA-256: of texts, in tests of users
backends/requests             interface  SHA-256: seeds, orders and hashes of prompts in run folders
backends/lazy_model           interface  SHA-256: `as_asked` in run folders
backends/weights              interface  SHA-256: revisions of models in run folders
run_folders/run_folder        interface  SHA-256: keys of answers
bench/asking/run_settings     interface  SHA-256: `prompts_hash` in run folders
bench/exporting/lm_eval_log   interface  SHA-256: as lm-evaluation-harness logs it
bench/leaderboard/entries     interface  SHA-256: places of runs on a leaderboard
counterfactual/prompts/asking  interface  SHA-256: `prompts_hash` in run folders
fleet/checkouts               interface  SHA-256: of contents, in place of a commit
fleet/outward                 interface  SHA-256: fingerprints of planned issues, names of files
fleet/running                 interface  SHA-256: of rules and settings, in a store
fleet/store                   interface  SHA-256: names of parts of a store
model_bias/ablation           interface  SHA-256: revisions of ablated models, and drawn numbers
model_bias/ablation_files     interface  SHA-256: of files of means
model_bias/results            interface  SHA-256: of the items of a part
model_bias/data/sources       interface  SHA-256: of data
model_bias/data/code_prompts  interface  SHA-256: of data
model_bias/data/pronouns      interface  SHA-256: of data
backends/answer_cache         free       SHA-256: keys of kept answers
counterfactual/executors/monty  free     SHA-256: of outcomes, within a run
counterfactual/executors/child  free     SHA-256: of outcomes, within a run
semantics/interpreter/expressions  free  CRC-32: of long keys, within a run
detectors/outcomes            free       CRC-32: what marks a shortened text
fleet/object_stores           free       SHA-256: the folder of a copy of a store
daemon/places                 free       CRC-32: names of sockets
support/compiled_data         free       CRC-32: of compiled data, made again where it differs
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

try:
    from _blake2 import blake2b  # start-up: hashlib loads OpenSSL, which takes ten times as long
except ImportError:  # another Python
    from hashlib import blake2b

SIZE = 16
"""Bytes of a digest."""
NOTHING = bytes(SIZE)
"""The digest of what is not there, or cannot be read."""


def digest(data: bytes) -> bytes:
    """Return the digest of some bytes."""
    return blake2b(data, digest_size=SIZE).digest()


def digest_of_all(parts: Iterable[bytes]) -> bytes:
    """Return the digest of several pieces of bytes, each by its length, so that no two rows of pieces are
    alike.
    """
    told = blake2b(digest_size=SIZE)
    for part in parts:
        told.update(len(part).to_bytes(8, "little"))
        told.update(part)
    return told.digest()


def digest_of_digests(digests: Iterable[bytes]) -> bytes:
    """Return the digest of several digests, which are all of one length."""
    return digest(b"".join(digests))


def keyed_digest(data: bytes, secret: bytes) -> bytes:
    """Return a digest that only those can make who know the secret."""
    return blake2b(data, digest_size=2 * SIZE, key=secret).digest()


def digest_of_names(names: Mapping[str, bool] | Mapping[str, str]) -> bytes:
    """Return the digest of the names in a folder, each with what it is.

    What is hidden is no code of the project's; `.git` ends a project.
    """
    seen = sorted((name, kind) for name, kind in names.items() if not name.startswith(".") or name == ".git")
    return digest_of_all(f"{name}/{kind}".encode("utf-8", "surrogatepass") for name, kind in seen)
