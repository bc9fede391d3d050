"""Compiled kernels on disk, in the user's cache folder: a file each, named by what it was made from.

A file begins with the SHA-256 of the rest. One that is damaged, or that another user can have written, is compiled
anew and replaced. The folder may be removed at any time.
"""

import contextlib
import hashlib
import os

from lazyarr import user_files

VARIABLE = "LAZYARR_KERNELS"
"""The environment variable that names another folder; 0 stands for none."""

_DIGEST = hashlib.sha256().digest_size


def path(*parts: str) -> str | None:
    """Return the path of the kernel made from a text, for an architecture, by a compiler; None without a folder."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        cache = user_files.cache_folder()
        folder = "0" if cache is None else os.path.join(cache, "kernels")
    if folder == "0":
        return None
    return os.path.join(folder, hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".cubin")


def load(place: str | None) -> bytes | None:
    """Return a kernel, None if there is none that can be used."""
    with contextlib.suppress(OSError):
        if place is not None and os.path.isfile(place):
            with open(place, "rb") as file:
                user_files.check_owner(os.fstat(file.fileno()))
                user_files.check_folders(os.path.dirname(os.path.realpath(place)))
                digest, image = file.read(_DIGEST), file.read()
            if hashlib.sha256(image).digest() == digest:
                return image
    return None


def store(place: str | None, image: bytes) -> None:
    """Keep a kernel, if the folder can be written to."""
    if place is not None:
        with contextlib.suppress(OSError):
            os.makedirs(os.path.realpath(os.path.dirname(place)), mode=0o700, exist_ok=True)
            user_files.replace_file(place, hashlib.sha256(image).digest() + image, 0o600)
