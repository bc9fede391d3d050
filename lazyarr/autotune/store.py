"""The file of measured numbers, in the user's cache folder.

One file serves all machines that share the folder and all versions of lazyarr:

    {"format": "lazyarr tuning 1", "machines": {"<processor>": {"<version>": {"<name>": <number>, ...}}},
     "backends": {"<processor>": {"<versions of libraries>": {"<kind of call>": {"<shapes>": "<name>"}}}}}

It is used only if the user owns it and no other user can have written it. If it is invalid, an import proceeds with the
defaults.
"""

import contextlib
import os
import stat
import sys
import warnings
from typing import Any

from lazyarr import user_files
from lazyarr._version import __version__

VARIABLE = "LAZYARR_TUNING"
FORMAT = "lazyarr tuning 1"
NUMBERS, BACKENDS = "machines", "backends"  # parts of the file
MOST_BYTES = 1 << 20


def path() -> str | None:
    """Return the path of the file: ``LAZYARR_TUNING`` if set, else in the cache folder; None if there is none.

    ``LAZYARR_TUNING=0`` disables the file.
    """
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return None if chosen == "0" else chosen
    folder = user_files.cache_folder()
    return None if folder is None else os.path.join(folder, "tuning.json")


def is_there() -> bool:
    """Return whether the file exists."""
    place = path()
    return place is not None and os.path.exists(place)


def load() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return this machine's measurements: numbers for this version, and backends by library versions.

    If the file is invalid, warn and return empty dicts.
    """
    if not is_there():
        return {}, {}
    place = str(path())
    try:
        data = _read(place)
        numbers = data[NUMBERS].get(processor(), {}).get(__version__, {})
        if not isinstance(numbers, dict):
            raise ValueError("what it says of this machine is not a table")
        return numbers, data.get(BACKENDS, {}).get(processor(), {})
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        message = f"lazyarr goes without the tuning in {place}: {reason}. Write it anew with `lazyarr tune`."
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        return {}, {}


def write(values: dict[str, Any], part: str = NUMBERS, version: str | None = None) -> str:
    """Add measurements to the file, keep those of other machines and versions, and return its path.

    Raises
    ------
    OSError
        If the file cannot be written, or would be rejected later because other users can write to a folder above it; an
        old file stays unchanged. Also with ``LAZYARR_TUNING=0``.
    """
    import json

    place = path()
    if place is None:
        raise FileNotFoundError(f"there is no file to write: {VARIABLE} is 0, or the user has no cache folder")
    try:
        data = _read(place)
    except (OSError, ValueError, RecursionError):
        data = {"format": FORMAT, NUMBERS: {}}
    data.setdefault(part, {}).setdefault(processor(), {})[version or __version__] = values
    os.makedirs(os.path.realpath(os.path.dirname(place)), mode=0o700, exist_ok=True)
    user_files.check_folders(os.path.dirname(os.path.realpath(place)))  # a link's target is replaced
    user_files.replace_file(place, json.dumps(data, indent=1).encode(), 0o600)
    return place


def _read(place: str) -> dict[str, Any]:
    import json

    if not stat.S_ISREG(os.stat(place).st_mode):  # reading a pipe would block
        raise ValueError("it is not a regular file")
    with open(place, "rb") as file:
        user_files.check_owner(os.fstat(file.fileno()))
        user_files.check_folders(os.path.dirname(os.path.realpath(place)))
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES} bytes")
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT or NUMBERS not in data:
        raise ValueError(f"it is not a file of format {FORMAT!r}")
    for part in (data[NUMBERS], data.get(BACKENDS, {})):
        if not isinstance(part, dict) or not all(isinstance(versions, dict) for versions in part.values()):
            raise ValueError(f"it is not a file of format {FORMAT!r}")
    return data


def processor() -> str:
    """Return the name of this machine's processor."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError), open("/proc/cpuinfo", "rb") as file:
            return _first_core(file.read(4096).decode("ascii", "replace"))
    if sys.platform == "darwin":
        import ctypes

        text = ctypes.create_string_buffer(256)
        size = ctypes.c_size_t(len(text))
        if not ctypes.CDLL(None).sysctlbyname(b"machdep.cpu.brand_string", text, ctypes.byref(size), None, 0):
            return text.value.decode("ascii", "replace")
    import platform

    return os.environ.get("PROCESSOR_IDENTIFIER") or platform.machine() or "unknown"


def _first_core(text: str) -> str:
    """Return the model of the first core in /proc/cpuinfo: a name on x86, numbers on ARM."""
    fields = dict(line.split(":", 1) for line in text.split("\n\n")[0].splitlines() if ":" in line)
    known = {name.strip(): value.strip() for name, value in fields.items()}
    parts = [known[name] for name in ("model name", "cpu model", "uarch") if name in known][:1] or [
        f"{name} {known[name]}" for name in ("CPU implementer", "CPU part", "CPU variant") if name in known]
    return ", ".join(parts) or "unknown"


found, found_backends = load()
"""The content of the file at import; `settings` applies the numbers, `choices` the backends."""
