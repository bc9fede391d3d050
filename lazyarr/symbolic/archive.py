"""Files of symbolic graphs: what JSON can express, and arrays, in a ZIP archive that is not compressed.

Files are checked before their content is used, so allocations stay within a multiple of the file's size. Content that
could not be read back is not written.
"""
import io
import json
import math
import zipfile
from typing import Literal

import numpy as np

from lazyarr import safe_json
from lazyarr.ops.operands import native

FORMAT, VERSION = "lazyarr graph", 1
MOST_BYTES = 1 << 26
"""The maximum length of the JSON in bytes."""
_MOST_HEADER = 2000  # bytes; 64 extents of 20 digits fit


def packed(content, arrays):
    """Return the bytes of a file with a JSON dict and ndarrays; raise ValueError if it could not be read back."""
    text = json.dumps({"format": FORMAT, "version": VERSION, **content, "arrays": len(arrays)})
    if len(text) > MOST_BYTES:
        raise ValueError(f"it takes more than {MOST_BYTES} bytes without its arrays")
    safe_json.loads(text)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("graph.json", text)
        for k, x in enumerate(arrays):
            with archive.open(f"arrays/{k}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, x, allow_pickle=False)
    return made.getvalue()


def unpacked(file):
    """Return the dict and the arrays of an open file; raise some exception if it is damaged."""
    with zipfile.ZipFile(file) as archive:
        _check_parts(archive.infolist(), file.seek(0, io.SEEK_END))
        if archive.getinfo("graph.json").file_size > MOST_BYTES:
            raise ValueError(f"graph.json has more than {MOST_BYTES} bytes")
        content = safe_json.loads(archive.read("graph.json").decode("ascii"))
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ValueError("it has another format")
        if content.get("version") != VERSION:
            raise ValueError(f"it has version {content.get('version')!r} of the format; {VERSION} can be read")
        return content, [_array(archive, k) for k in range(content["arrays"])]


def _check_parts(parts, size):
    """Check that the parts do not overlap and lie within the file, so that together they are no longer than it."""
    if len({part.filename for part in parts}) < len(parts):
        raise ValueError("two of its parts have one name")
    end = 0
    for part in parts:
        if part.compress_type != zipfile.ZIP_STORED:
            raise ValueError("it has compressed parts")  # their size in memory is unbounded
        if part.header_offset < end or part.compress_size != part.file_size:
            raise ValueError("its parts overlap")
        end = part.header_offset + part.file_size
    if end > size:
        raise ValueError("its parts are longer than the file")


def _array(archive, k):
    data = archive.read(f"arrays/{k}.npy")
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"array {k} has another format")
    shape, in_columns, dtype = np.lib.format.read_array_header_1_0(file, max_header_size=_MOST_HEADER)
    if not native(dtype):
        raise ValueError(f"array {k} has dtype {dtype}")
    if any(n < 0 for n in shape) or math.prod(shape) * dtype.itemsize != len(data) - file.tell():
        raise ValueError(f"array {k} does not have the bytes that its shape {shape} needs")
    order: Literal["C", "F"] = "F" if in_columns else "C"
    return np.ndarray(shape, dtype, data, file.tell(), order=order).copy(order)
