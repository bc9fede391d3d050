"""NumPy's own stubs as syntax trees, converted to stubs of functions that return lazy arrays."""

import ast
import builtins
import copy
import functools
import re
import textwrap
import typing
from pathlib import Path

import numpy as np
import numpy._typing

ROOT = Path(np.__file__).parent
TYPING = {name for name in dir(np._typing) if name[:2] != "__"} - {"NDArray", "_NBitBase"}
STANDARD = {**dict.fromkeys(typing.__all__, "typing"), "Buffer": "typing_extensions", "deprecated":
            "typing_extensions", "TypeVar": "typing_extensions", "TypeIs": "typing_extensions",
            "EllipsisType": "types", "CapsuleType": "typing_extensions", "SimpleNamespace": "types"}
STANDARD |= dict.fromkeys(
    "Callable Collection Generator Iterable Iterator Mapping MutableMapping Sequence Sized".split(), "collections.abc")
ALIASES = "lazyarr.stubs.aliases"
_ALIASES = (Path(__file__).parents[2] / "lazyarr/stubs/aliases.pyi").read_text(encoding="utf-8")
OURS = {"LazyArray": "lazyarr._core.frontend.lazy_array",
        **dict.fromkeys(re.findall(r"^(\w+)(?:: TypeAlias)? = ", _ALIASES, re.MULTILINE), ALIASES)}
ARRAYS = {"NDArray", "ndarray", "_Array", "_Array0D", "_Array1D", "_Array2D", "_Array3D", "_Array4D", "_ArrayMax2D",
          "_ArrayNoD", "_AnyArray", "_IntArray", "_IntPArray", "_MArray", "matrix"}
# Type variables for dtypes and for shapes.
DTYPES, SHAPES = {"_DTypeT", "_DTypeT_co"}, {"_ShapeLike", "_AnyShapeT", "_ShapeT", "_ShapeT_co", "_AnyShape"}


class Module:
    """A stub file of NumPy: its definitions and imports."""

    _known: typing.ClassVar = {}

    def __init__(self, name):
        path = ROOT.joinpath(*name.split(".")[1:])
        self.name = name
        self.is_package = path.is_dir()
        path = path / "__init__.pyi" if self.is_package else path.with_suffix(".pyi")
        if not path.is_file():
            path = path.with_suffix(".py")
        self.definitions, self.imports = {}, {}
        self._read(ast.parse(path.read_text(encoding="utf-8")).body)

    @classmethod
    def named(cls, name):
        if name not in cls._known:
            cls._known[name] = cls(name)
        return cls._known[name]

    def _read(self, body):
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self.definitions.setdefault(statement.name, []).append(statement)
            elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                self.definitions[statement.target.id] = [statement]
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.definitions[statement.targets[0].id] = [statement]
            elif isinstance(statement, ast.ImportFrom):
                base = self._base(statement)
                for alias in statement.names:
                    self.imports[alias.asname or alias.name] = (base, alias.name)
            elif isinstance(statement, ast.Import):
                for alias in statement.names:
                    self.imports[alias.asname or alias.name] = (None, alias.name)
            elif isinstance(statement, ast.If):  # depends on the Python version or platform
                self._read(statement.orelse or statement.body)

    def _base(self, statement):
        if not statement.level:
            return statement.module
        parts = self.name.split(".")[:None if self.is_package and statement.level == 1 else
                                     -statement.level + self.is_package]
        return ".".join([*parts, *([statement.module] if statement.module else [])])

    def find(self, name):
        """Return the module that defines a name, and the statements there."""
        if name in self.definitions:
            return self, self.definitions[name]
        if name in self.imports:
            base, original = self.imports[name]
            if base and base.partition(".")[0] == "numpy" and original != "_CopyMode":
                return Module.named(base).find(original)
        raise LookupError(f"{self.name} has no {name}")


def functions(module, name):
    """Return the module with a function's stub, and its overloads, resolving aliases and protocols."""
    home, found = Module.named(module).find(name)
    [*_, last] = found
    if isinstance(last, ast.FunctionDef):
        return home, found
    value = last.value if isinstance(last, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.Name):
        return functions(home.name, value.id)
    annotation = last.annotation
    if isinstance(annotation, ast.Subscript) and _name(annotation.value) == "Final":
        annotation = annotation.slice
    if not isinstance(annotation, ast.Name):
        raise LookupError(f"{module} says of {name} that it is {ast.unparse(annotation)}")
    home, [protocol] = home.find(annotation.id)
    calls = [copy.deepcopy(each) for each in protocol.body if isinstance(each, ast.FunctionDef)
             and each.name == "__call__"]
    for call in calls:
        [call.args.posonlyargs or call.args.args][0].pop(0)
    return home, calls


# ---- from ndarrays to lazy ones ----


def parsed(text):
    return ast.parse(text, mode="eval").body


def lazy(argument):
    return parsed("LazyArray" if argument in (None, "Any", "Incomplete") else f"LazyArray[{argument}]")


def scalar_of(dtype):
    """Return the scalar type in a dtype annotation."""
    if isinstance(dtype, ast.Subscript) and _name(dtype.value) == "dtype":
        return ast.unparse(dtype.slice)
    return "ScalarT" if _name(dtype) in DTYPES else None


def _name(node):
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None


class _Names(ast.NodeTransformer):
    """Renames what our stubs call differently, and turns type variables of dtypes into those of scalar types."""

    def visit_Name(self, node):
        if node.id in DTYPES:
            return parsed("np.dtype[ScalarT]")
        if node.id in SHAPES:
            return parsed("ShapeLike")
        if node.id == "_ArrayT":
            return parsed("OutT")
        return {"L": parsed("Literal"), "_ScalarT": parsed("ScalarT"), "Incomplete": parsed("Any"),
                "_SCT": parsed("ScalarT")}.get(node.id, node)


class Parameters(ast.NodeTransformer):
    """Converts annotations of parameters: an ndarray also accepts a lazy array."""

    def visit_Subscript(self, node):
        if _name(node.value) in ("Literal", "L"):
            return node
        if _name(node.value) in ARRAYS:
            [*_, last] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            inner = scalar_of(last) if _name(node.value) == "ndarray" else ast.unparse(last)
            return parsed(f"Array[{inner or 'Any'}]")
        return self.generic_visit(node)

    def visit_Name(self, node):
        return parsed("Array[Any]") if node.id in ARRAYS else node

    visit_Attribute = lambda self, node: parsed("Array[Any]") if node.attr in ARRAYS else node  # noqa: E731


class Results(Parameters):
    """Converts annotations of results: lazy arrays, also in place of scalars."""

    def __init__(self, home):
        self._home = home

    def visit_Subscript(self, node):
        name = _name(node.value)
        if name in ARRAYS:
            [*_, last] = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return lazy(scalar_of(last) if name == "ndarray" else ast.unparse(last))
        if _is_scalar(name):
            return lazy(ast.unparse(node))
        if name in ("tuple", "list", "Iterator", "Sequence") or "Tup" in name:
            node.slice = self.visit(node.slice)
        return node

    def visit_Name(self, node):
        if node.id in ("_AnyArray", "ndarray", "Any"):
            return lazy(None)
        if node.id in ("_IntArray", "_IntPArray"):
            return lazy("np.intp")
        if (node.id != "bool" and _is_scalar(node.id)) or is_scalar_variable(self._home, node.id):
            return lazy(node.id)
        return node

    def visit_Attribute(self, node):
        if node.attr in ARRAYS:
            return lazy(None)
        return lazy(f"np.{node.attr}") if _is_scalar(node.attr) else node

    def visit_BinOp(self, node):
        members = list(dict.fromkeys(ast.unparse(self.visit(part)) for part in _union(node)))
        if "LazyArray" in members:
            members = [member for member in members if not member.startswith("LazyArray[")]
        return parsed(" | ".join(members))


def _is_scalar(name):
    found = getattr(np, name, None) if name in np.__all__ else None
    return isinstance(found, type) and issubclass(found, np.generic)


def is_scalar_variable(home, name):
    """Return whether a module's type variable stands for scalar types."""
    bound = bound_of(home, name)
    return name == "ScalarT" or (bound is not None and all(
        _is_scalar(_name(part.value if isinstance(part, ast.Subscript) else part)) or _name(part) in (
            "_Number_co", "_ArangeScalar") for part in _union(bound)))


def bound_of(home, name):
    """Return the bound of a type variable; None for other names."""
    try:
        _, [found] = home.find(name)
    except (LookupError, ValueError):
        return None
    call = getattr(found, "value", None)
    if not isinstance(call, ast.Call) or _name(call.func) != "TypeVar":
        return None
    return next((keyword.value for keyword in call.keywords if keyword.arg == "bound"), None)


def _union(node):
    if isinstance(node, ast.BinOp):
        return [*_union(node.left), *_union(node.right)]
    return [node]


# ---- whole functions ----


def converted(home, overloads, needed):
    """Return a function's overloads that differ for lazy arrays, as (parameters, result)."""
    made = []
    for statement in overloads:
        if any(_is_array_class(each.annotation) for each in _arguments(statement.args)):
            continue
        statement = _Names().visit(copy.deepcopy(statement))
        for argument in _arguments(statement.args):
            if argument.annotation is not None:
                argument.annotation = Parameters().visit(argument.annotation)
        made.append((statement.args, Results(home).visit(statement.returns)))
    for name in "axis", "keepdims", "shape":
        _widen(name, [arguments for arguments, _ in made])
    found = {}
    for arguments, result in made:
        for argument in _arguments(arguments):
            if argument.annotation is not None:
                argument.annotation = needed.renamed(home, argument.annotation)
        found.setdefault(tuple(parameters(arguments)), ast.unparse(needed.renamed(home, result)).replace(
            "np.float64 | Any", "np.float64"))
    return _largest_alone([row for own, result in found.items() for row in _with_python_types(own, result)])


def _with_python_types(own, result):
    """Return the row and, if it has a dtype's scalar type, also rows for Python's types."""
    yield own, result
    if result == "LazyArray[ScalarT]" and any(each.startswith("dtype: _DTypeLike[ScalarT]") for each in own):
        for python, numpy in ("bool", "bool"), ("int", "intp"), ("float", "float64"), ("complex", "complex128"):
            yield (tuple(each.replace("_DTypeLike[ScalarT]", f"type[{python}]") for each in own),
                   f"LazyArray[np.{numpy}]")


def _largest_alone(rows):
    """Drop overloads that the next one includes: the same result, and parameters that accept as much."""
    following = [*rows[1:], ((), None)]
    return [(own, result) for (own, result), (other, other_result) in zip(rows, following, strict=True)
            if other_result != result or not _includes(other, own)]


def _includes(other, own):
    """Return whether parameters differ at most in the members of one union."""
    if len(other) != len(own):
        return False
    different = [(theirs, mine) for theirs, mine in zip(other, own, strict=True) if theirs != mine]
    if len(different) != 1:
        return False
    [(theirs, mine)] = different
    return _members(mine) <= _members(theirs) and (" = " in theirs or " = " not in mine)


def _members(parameter):
    return set(parameter.split(" = ")[0].partition(": ")[2].split(" | "))


def _arguments(arguments):
    return [*arguments.posonlyargs, *arguments.args, *([arguments.vararg] if arguments.vararg else []),
            *arguments.kwonlyargs, *([arguments.kwarg] if arguments.kwarg else [])]


def _is_array_class(annotation):
    """Return whether an argument is an array class, as for `subok`, or has a fixed number of axes."""
    text = "" if annotation is None else ast.unparse(annotation)
    return "_ArrayNoD" in text or "_SupportsArray[_ArrayT" in text or "type[_ArrayT" in text


def _widen(name, of_overloads):
    """Give a parameter all of its annotations: it only decides whether NumPy returns a scalar."""
    found = [argument for arguments in of_overloads for argument in _arguments(arguments) if argument.arg == name]
    members = {ast.unparse(part): None for argument in found for part in _union(argument.annotation)}
    if any(member.startswith("Literal") for member in members):
        members = {"bool": None} | {member: None for member in members if not member.startswith("Literal")}
    if "None" in members:
        members = {member: None for member in members if member != "None"} | {"None": None}
    for argument in found:
        argument.annotation = parsed(" | ".join(members))


def parameters(arguments):
    """Return the parameters as a list of strings, with the markers / and *."""
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(positional) - len(arguments.defaults)) + arguments.defaults
    found = [_parameter(*each) for each in zip(positional, defaults, strict=True)]
    if arguments.posonlyargs:
        found.insert(len(arguments.posonlyargs), "/")
    if arguments.vararg:
        found.append("*" + _parameter(arguments.vararg, None))
    elif arguments.kwonlyargs:
        found.append("*")
    found += [_parameter(*each) for each in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return found + (["**" + _parameter(arguments.kwarg, None)] if arguments.kwarg else [])


def _parameter(argument, default):
    text = argument.arg
    if argument.annotation is not None:
        annotation = ast.unparse(argument.annotation)
        for old, new in _PLAINER:
            annotation = re.sub(old, new, annotation)
        text += ": " + ("str | None" if argument.arg == "device" else annotation)
    if default is None:
        return text
    return f"{text} = {ast.unparse(default) if isinstance(default, ast.Constant | ast.UnaryOp) else '...'}"


_PLAINER = [(r"np\.dtype\[ScalarT\] \| _SupportsDType\[np\.dtype\[ScalarT\]\]", "_DTypeLike[ScalarT]"),
            (r"(?<![\w.])type\[ScalarT\]", "_DTypeLike[ScalarT]"), (r"SupportsIndex \| ShapeLike", "ShapeLike")]


# ---- names that the text uses ----


class Needed:
    """The imports and definitions that a stub's text needs, found in its NumPy module."""

    def __init__(self):
        self.imports, self.definitions = {}, {}

    def renamed(self, home, tree):
        """Return the tree with NumPy's public names as attributes of `np`, recording other names to import or define.
        """
        place = functools.partial(self._place, home)

        class Rename(ast.NodeTransformer):
            def visit_Name(self, node):
                return parsed(place(node.id)) if isinstance(node.ctx, ast.Load) else node

            def visit_keyword(self, node):
                node.value = self.visit(node.value)
                return node

        return Rename().visit(tree)

    def _place(self, home, name):
        if name in OURS:
            self.imports[name] = OURS[name]
        elif name in ("np", "None") or (hasattr(builtins, name) and name not in home.imports):
            pass
        elif name in TYPING and name not in home.definitions:
            self.imports[name] = "numpy._typing"
        elif name in home.imports and home.imports[name][1] in TYPING:
            self.imports[f"{home.imports[name][1]} as {name}"] = "numpy._typing"
        elif name in STANDARD and name not in home.definitions:
            self.imports[name] = STANDARD[name]
        elif name == "dtype" or (name in np.__all__ and (home.name == "numpy" or name not in home.definitions)):
            return f"np.{name}"
        else:
            return self._defined(home, name)
        return name

    def _defined(self, home, name):
        if name in self.definitions:
            return name
        try:
            found_home, statements = home.find(name)
        except LookupError:
            base, original = home.imports[name]
            self.imports[name if name == original else f"{original} as {name}"] = base
            return name
        if found_home.name.startswith("numpy._typing."):
            self.imports[name] = found_home.name
            return name
        self.definitions[name] = None  # placed before its users, for recursive aliases
        made = [self._statement(found_home, copy.deepcopy(statement)) for statement in statements]
        self.definitions[name] = self.definitions.pop(name) or "\n".join(made)
        return name

    def _statement(self, home, statement):
        statement = _Names().visit(statement)
        named = isinstance(statement, ast.ClassDef) and any(_name(base) == "NamedTuple" for base in statement.bases)
        change = Results(home) if named else Parameters()
        if isinstance(statement, ast.ClassDef):
            statement.decorator_list = []
            if ast.get_docstring(statement) is not None:
                statement.body = statement.body[1:] or [ast.Expr(ast.Constant(...))]
            for node in ast.walk(statement):
                for field in "annotation", "returns":
                    if isinstance(getattr(node, field, None), ast.AST):
                        setattr(node, field, change.visit(getattr(node, field)))
        elif isinstance(getattr(statement, "value", None), ast.Call):  # a type variable
            for keyword in statement.value.keywords:
                keyword.value = Results(home).visit(keyword.value) if "ndarray" in ast.unparse(
                    keyword.value).lower() else keyword.value
        else:
            statement.value = change.visit(statement.value)
        return ast.unparse(ast.fix_missing_locations(self.renamed(home, statement)))

    def head(self):
        """Return the imports and definitions."""
        modules = {}
        for name, module in self.imports.items():
            modules.setdefault(module, []).append(name)
        lines = [f"import {name}" for name in sorted(modules.pop(None, []))]
        for module, names in sorted(modules.items()):
            line = f"from {module} import {', '.join(sorted(names))}"
            if len(line) > 120:
                line = f"from {module} import (\n{textwrap.fill(', '.join(sorted(names)), 116)})"
                line = line.replace("\n", "\n    ")
            lines.append(line)
        return "\n".join([*lines, "", "import numpy as np", "", *self.definitions.values(), ""])
