"""Arrays in safetensors files, which are replaced atomically."""
import json
import os
import stat
from typing import Any, TypeAlias

import numpy as np

from lazyarr import safe_json
from lazyarr._core import api as core
from lazyarr._core.host.api_boundary import api_boundary
from lazyarr.autodiff.trees import leaves, named, rebuilt
from lazyarr.ops.operands import is_lazy
from lazyarr.user_files import replace_file

_Path: TypeAlias = str | os.PathLike[str]
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64")
_FORM, _NOTES = "lazyarr.form", "lazyarr.metadata"


@api_boundary
def save(path: _Path, tree: Any, metadata: Any = None) -> None:
    """Write a layer, or any arrays, to a safetensors file.

    An existing file is replaced only when the new one is complete on the disk, so a crash leaves one of the two intact.

    Parameters
    ----------
    path : path_like
    tree : nn.Layer or tree of array_like
        A layer, of which parameters and buffers are saved; or nested dicts, lists and tuples of arrays and numbers.
        Keys of dicts are strings. Supported dtypes are bool, integers, float16, float32, float64 and complex64.
    metadata : object, optional
        A JSON-serialisable object; `load_metadata` reads it.

    Raises
    ------
    ImportError
        If the package safetensors is not installed.
    TypeError
        For an unsupported dtype, a key that is not a string, metadata that is not JSON-serialisable, or nesting of more
        than 200 levels.
    ValueError
        If two arrays would have the same name, as in ``{"a.b": x, "a": {"b": y}}``, or one is named ``__metadata__``.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arrays.safetensors"
    >>> la.nn.save(path, {"w": la.ones(2), "more": [la.zeros(1)]}, metadata={"step": 3})
    >>> la.nn.load(path)
    {'w': array([1., 1.]), 'more': [array([0.])]}
    """
    package = _safetensors("save")
    arrays, form = _flat(layer_tree(tree) if callable(getattr(tree, "parameters", None)) else tree)
    try:
        notes = {_FORM: json.dumps(form)} | ({} if metadata is None else {_NOTES: json.dumps(metadata)})
        for text in notes.values():    # what would not be read again is not written
            safe_json.loads(text)
    except (TypeError, ValueError) as error:
        raise TypeError(f"save: metadata must be what JSON can express: {error}") from None
    replace_file(os.fsdecode(path), package.numpy.save(arrays, notes))


@api_boundary
def load(path: _Path, model: Any = None) -> Any:
    """Read a file written by `save`, or another safetensors file.

    Parameters
    ----------
    path : path_like
    model : nn.Layer, optional
        A layer to write the parameters and buffers of a saved layer, or of a checkpoint of `fit`, to.

    Returns
    -------
    tree of LazyArray, or None
        The saved tree, with tuples as lists and numbers as arrays of shape (). For files of other programs, a dict of
        arrays by name. None if a model was given.

    Raises
    ------
    ImportError
        If the package safetensors is not installed.
    OSError
        If the file cannot be read.
    ValueError
        If the file is damaged, truncated or of another format, or the model's parameters have other names or shapes;
        the model is not changed then.
    TypeError
        If the model's parameters have other dtypes.
    """
    arrays, notes = _read(path, "load")
    tree = _formed(path, notes[_FORM], arrays) if _FORM in notes else arrays
    if model is None:
        return tree
    if not isinstance(tree, dict) or not {"parameters", "buffers"} <= set(tree):
        raise ValueError(f"load: {path} does not hold a layer's parameters and buffers")
    write_layer(model, tree)
    return None


@api_boundary
def load_metadata(path: _Path) -> Any:
    """Read the metadata of a file; return None if there is none.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "arrays.safetensors"
    >>> la.nn.save(path, [], metadata={"step": 3})
    >>> la.nn.load_metadata(path)
    {'step': 3}
    """
    return _metadata(path, _read(path, "load_metadata")[1])


def check_target(path: _Path) -> None:
    """Raise the errors that `save` to this path would raise for any tree."""
    _safetensors("save")
    path = os.path.realpath(os.fsdecode(path))
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(f"save: there is no folder {folder}")
    if os.path.isdir(path):
        raise IsADirectoryError(f"save: {path} is a folder")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"save: files cannot be written to the folder {folder}")


def load_both(path: _Path) -> tuple[Any, Any]:
    """Return the tree and the metadata of a file, read once."""
    arrays, notes = _read(path, "load")
    if _FORM not in notes:
        raise ValueError(f"load: {path} was not written by nn.save")
    return _formed(path, notes[_FORM], arrays), _metadata(path, notes)


def layer_tree(model: Any) -> dict[str, Any]:
    """Return the tree that is saved for a layer."""
    return {"parameters": model.parameters(), "buffers": model.buffers()}


def write_layer(model: Any, tree: Any) -> None:
    """Write parameters and buffers to a layer, or nothing if some do not match."""
    before = [core.copy(x) for x in leaves(model.parameters())]    # computed only if they are needed
    model.update(tree["parameters"])
    try:
        model.update_buffers(tree["buffers"])
    except (TypeError, ValueError):
        model.update(rebuilt(model.parameters(), iter(before)))
        raise


# ---- trees as arrays with names -------------------------------------------------------------------------


def _flat(tree):
    """Return arrays by name, and the tree with names in their places."""
    arrays = {}
    for name, leaf in named(tree):
        if name in arrays:
            raise ValueError(f"save: two arrays have the name {name!r}")
        if name == "__metadata__":
            raise ValueError("save: the format safetensors has no place for an array of the name '__metadata__'")
        x = leaf.numpy() if is_lazy(leaf) else np.asarray(leaf)
        if x.dtype.name not in DTYPES:
            raise TypeError(f"save: {name} has dtype {x.dtype}, which the format safetensors does not have; "
                            f"it has {', '.join(DTYPES)}")
        arrays[name] = np.asarray(x, x.dtype.newbyteorder("="), order="C")
    form = rebuilt(tree, iter(arrays))
    _check_keys(form)
    return arrays, form


def _check_keys(form):
    if isinstance(form, dict):
        for key in form:
            if not isinstance(key, str):
                raise TypeError(f"save: keys of dicts must be strings, got {key!r}")
    for part in form.values() if isinstance(form, dict) else form if isinstance(form, list | tuple) else ():
        _check_keys(part)


def _formed(path, text, arrays):
    """Rebuild the saved tree."""
    try:
        form = safe_json.loads(text)
        names = leaves(form)
        if sorted(names) != sorted(arrays):
            raise ValueError
    except (TypeError, ValueError):
        raise ValueError(f"load: {path} is damaged: its form does not fit its arrays") from None
    return rebuilt(form, iter([arrays[name] for name in names]))


def _metadata(path, notes):
    try:
        return safe_json.loads(notes.get(_NOTES, "null"))
    except ValueError:
        raise ValueError(f"load: {path} is damaged: its metadata are no JSON") from None


# ---- files ----------------------------------------------------------------------------------------------


def _safetensors(name):
    try:
        import safetensors.numpy
    except ImportError:
        raise ImportError(f"nn.{name} needs the package safetensors: pip install 'lazyarr[nn]'") from None
    return safetensors


def _read(path, name):
    """Return arrays and metadata of a file."""
    package = _safetensors(name)
    check_regular(path, f"{name}: {path}")
    with open(path, "rb"):    # for an error of its own where there is no such file
        pass
    try:
        with package.safe_open(os.fsdecode(path), framework="np") as file:
            arrays = {key: _tensor(file, key, f"{name}: {path}") for key in file.keys()}  # noqa: SIM118 - no dict
            return arrays, file.metadata() or {}
    except package.SafetensorError as error:    # it checks shapes and offsets against the bytes that are there
        raise ValueError(f"{name}: {path} is damaged or not in the format safetensors: {error}") from None


def _tensor(file, key, where):
    try:
        x = file.get_tensor(key)
        if x.dtype.name in DTYPES:    # more exist once ml_dtypes has been imported
            return core.from_numpy(x)
    except (AttributeError, KeyError, TypeError):    # of the package, where it has no dtype of NumPy's
        pass
    except (OverflowError, ValueError) as error:    # an array without elements may claim any shape
        raise ValueError(f"{where} is damaged: {key}: {error}") from None
    raise ValueError(f"{where} has {key} of dtype {file.get_slice(key).get_dtype()}, which NumPy does not have")


def check_regular(path: _Path, what: str) -> None:
    """Raise ValueError for a pipe, which would block, or a device, which may be endless."""
    mode = os.stat(path).st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):    # for a folder there is an OSError
        raise ValueError(f"{what} is not a regular file")
