"""Files that lazyarr keeps for a user: their folder, checks of ownership, and atomic replacement."""

import contextlib
import os
import stat
import sys


def cache_folder() -> str | None:
    """Return lazyarr's folder in the user's cache folder; None if there is none."""
    if sys.platform == "win32":
        folder = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        folder = os.path.expanduser("~/Library/Caches")
    else:
        folder = os.environ.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(folder):  # the specification says to ignore it
            folder = os.path.expanduser("~/.cache")
    return os.path.join(folder, "lazyarr") if os.path.isabs(folder) else None


def check_owner(status: os.stat_result) -> None:
    """Check that a file is the user's and that no other user can write to it."""
    if os.name == "posix":
        if status.st_uid != os.geteuid():
            raise PermissionError("it belongs to another user")
        if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError("other users may write to it")


def check_folders(folder: str) -> None:
    """Check that no other user can replace a file there; world-writable folders must restrict deletion to owners.

    Group-writable folders are accepted: home directories often are, where each user has a group.
    """
    while os.name == "posix":
        mode = os.stat(folder).st_mode
        if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
            raise PermissionError(f"all users may write to the folder {folder}")
        if folder == os.path.dirname(folder):
            break
        folder = os.path.dirname(folder)


def replace_file(path: str, data: bytes, mode: int = 0o666) -> None:
    """Replace a file atomically, with at most these permissions, once the new content is on the disk."""
    path = os.path.realpath(path)  # follow links
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name}.{os.urandom(8).hex()}.tmp")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException as error:
        if isinstance(error, OSError) and error.filename == temporary:
            error.filename = path  # the path that the caller knows
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if os.name == "posix":  # other systems cannot open folders
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)  # puts the new name on the disk, too
        finally:
            os.close(handle)
