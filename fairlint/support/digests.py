"""Digests: short sums by which contents are told apart."""

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
    """The digest of some bytes."""
    return blake2b(data, digest_size=SIZE).digest()


def digest_of_all(parts: Iterable[bytes]) -> bytes:
    """The digest of several pieces of bytes, each by its length, so that no two rows of pieces are alike."""
    told = blake2b(digest_size=SIZE)
    for part in parts:
        told.update(len(part).to_bytes(8, "little"))
        told.update(part)
    return told.digest()


def digest_of_digests(digests: Iterable[bytes]) -> bytes:
    """Return the digest of several digests, which are all of one length."""
    return digest(b"".join(digests))


def keyed_digest(data: bytes, secret: bytes) -> bytes:
    """A digest that only those can make who know the secret."""
    return blake2b(data, digest_size=2 * SIZE, key=secret).digest()


def digest_of_names(names: Mapping[str, bool] | Mapping[str, str]) -> bytes:
    """The digest of the names in a folder, each with what it is.

    What is hidden is no code of the project's; `.git` ends a project.
    """
    seen = sorted((name, kind) for name, kind in names.items() if not name.startswith(".") or name == ".git")
    return digest_of_all(f"{name}/{kind}".encode("utf-8", "surrogatepass") for name, kind in seen)
