"""Cache of compiled kernels in the user's cache folder, one file each, named by a hash of its inputs.

A file begins with the SHA-256 of the rest. A damaged file, or one that another user can write to, is recompiled and
replaced. The folder may be removed at any time.
"""

import contextlib
import hashlib
import os

from lazyarr import user_files

VARIABLE = "LAZYARR_KERNELS"
"""The environment variable that names another folder; 0 stands for none."""

_DIGEST = hashlib.sha256().digest_size


def path(*parts: str) -> str | None:
    """Return the path of the kernel for a text, an architecture and a compiler; None if there is no cache folder."""
    folder = os.environ.get(VARIABLE)
    if not folder:
        cache = user_files.cache_folder()
        folder = "0" if cache is None else os.path.join(cache, "kernels")
    if folder == "0":
        return None
    return os.path.join(folder, hashlib.sha256("\0".join(parts).encode()).hexdigest() + ".cubin")


def load(place: str | None) -> bytes | None:
    """Return a kernel, or None if there is no usable one."""
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
    """Store a kernel, if the folder is writable."""
    if place is not None:
        with contextlib.suppress(OSError):
            os.makedirs(os.path.realpath(os.path.dirname(place)), mode=0o700, exist_ok=True)
            user_files.replace_file(place, hashlib.sha256(image).digest() + image, 0o600)
