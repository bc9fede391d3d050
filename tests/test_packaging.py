"""The installed package: one version, files for other tools, and correct stubs."""

import ast
import importlib
import importlib.metadata
import inspect
import os
import re
import shutil
import tomllib
import typing
import zlib
from pathlib import Path

import pytest

import lazyarr
from lazyarr._core import api
from support.script_folder import LAZY, Folder

ROOT = Path(__file__).parents[1]
INSTALLED = Path(lazyarr.__file__).parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOURCES = sorted((ROOT / "lazyarr").rglob("*.pyx"))
NATIVE = {".so", ".pyd"}
STUBS = sorted(path.relative_to(ROOT) for path in (ROOT / "lazyarr").rglob("*.pyi")
               if path.parent.name != "stubs")  # what type checkers alone read

installed = pytest.mark.skipif("CI" not in os.environ, reason="developers may test a checkout that is not installed")


def module_name(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def stub_module(stub):
    return importlib.import_module(module_name(ROOT / stub))


def imported_modules(path):
    """Yield the names of a Python file's imports; a name imported from a package may be a module, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def public(names):
    return {name for name in names if not name.startswith("_")}


def definitions(body):
    """Map each name that a stub defines to its statement; names imported under their own name count."""
    found = {}
    for statement in body:
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name] = statement
        elif isinstance(statement, ast.AnnAssign):
            if getattr(statement.annotation, "id", None) != "TypeAlias":  # a name for type checkers only
                found[statement.target.id] = statement
        elif isinstance(statement, ast.Assign):
            found[statement.targets[0].id] = statement
        elif isinstance(statement, ast.ImportFrom):
            found |= {alias.asname: statement for alias in statement.names if alias.asname}
    return found


def stub_definitions(stub):
    return definitions(ast.parse((ROOT / stub).read_text(encoding="utf-8")).body)


def array_members():
    """Return the statements of the members in LazyArray's stub, including its bases."""
    array = stub_definitions(Path("lazyarr/_core/frontend/lazy_array.pyi"))["LazyArray"]
    bases = [stub_definitions(Path(f"lazyarr/stubs/{name}.pyi"))[f"Array{name.title()}"]
             for name in ("operators", "reductions")]
    return {name: statement for each in [*bases, array] for name, statement in definitions(each.body).items()}


def parameter_names(function):
    arguments = function.args
    names = [argument.arg for argument in [*arguments.posonlyargs, *arguments.args]]
    names += [arguments.vararg.arg] if arguments.vararg else []
    names += sorted(argument.arg for argument in arguments.kwonlyargs)
    return names + ([arguments.kwarg.arg] if arguments.kwarg else [])


def names_in_order(parameters):
    """Return the names of a function's parameters; keyword-only ones have no order."""
    keywords = sorted(parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY)
    names = [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]
    at = len(names) - any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return [*names[:at], *keywords, *names[at:]]


def test_version_is_stated_once():
    stated = re.compile(r"version\w*\s*=\s*[\"']\d+\.\d+")
    sources = [path for path in (ROOT / "lazyarr").rglob("*") if path.suffix in (".py", ".pyi", ".pyx")]
    sources += [ROOT / "setup.py", ROOT / "docs" / "conf.py"]
    assert [path.name for path in sources if stated.search(path.read_text(encoding="utf-8"))] == ["_version.py"]
    assert "version" not in PYPROJECT["project"]


def test_version_is_the_newest_in_the_changelog():
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest[1] == lazyarr.__version__


def packed():
    """Return the files of a wheel, except small ones of a few kinds."""
    return [path for path in INSTALLED.rglob("*") if path.suffix in {".py", ".pyi", ".pxd", ".h", *NATIVE}]


@pytest.fixture
def folder(tmp_path):
    with Folder(tmp_path) as folder:
        yield folder


@installed
def test_the_installed_package_is_the_one_under_test():
    assert not INSTALLED.is_relative_to(ROOT)
    assert lazyarr.__version__ == importlib.metadata.version("lazyarr")


@installed
def test_installing_leaves_no_native_modules_in_the_checkout():
    assert list((ROOT / "lazyarr").rglob("_native*")) == []


@installed
def test_nothing_of_an_earlier_build_is_installed():
    there = {path.relative_to(INSTALLED) for path in packed()}
    assert {path for path in there if path.suffix not in NATIVE and not (ROOT / "lazyarr" / path).is_file()} == set()
    assert {path.name.partition(".")[0] for path in there if path.suffix in NATIVE} == {"_native"}


@pytest.mark.skipif(api.DEBUG, reason="debug builds hold the compiler's notes")
def test_a_wheel_has_at_most_eight_megabytes():
    assert 1_000_000 < sum(len(zlib.compress(path.read_bytes())) for path in packed()) < 8_000_000


@pytest.mark.parametrize("pattern", ["py.typed", "**/*.pyi", "**/*.pxd", "**/*.h", "**/*.py", "inspect/*.html",
                                     "inspect/*.css", "inspect/*.js"])
def test_files_are_installed(pattern):
    wanted = {path.relative_to(ROOT / "lazyarr") for path in (ROOT / "lazyarr").glob(pattern)}
    assert wanted
    assert {path for path in wanted if not (INSTALLED / path).is_file()} == set()


def test_every_native_module_is_compiled():
    for source in SOURCES:
        module = importlib.import_module(module_name(source))
        assert Path(module.__file__).suffix in NATIVE


def test_native_modules_have_stubs_where_python_imports_them():
    sources = [path for path in (ROOT / "lazyarr").rglob("*.py*") if path.suffix in (".py", ".pyi")]
    imported = {name for path in sources for name in imported_modules(path)}
    assert {path for path in SOURCES if path.with_suffix(".pyi").is_file()} \
        == {path for path in SOURCES if module_name(path) in imported}


def test_a_native_module_that_is_not_there_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'lazyarr._core.no_such_module'"):
        importlib.import_module("lazyarr._core.no_such_module")


def test_a_checkout_that_is_not_built_says_so(folder):
    shutil.copytree(INSTALLED, folder.path / "lazyarr", ignore=shutil.ignore_patterns("_native*", "__pycache__"))
    for module in "lazyarr", "lazyarr.numpy":
        result = folder.run("-c", f"import {module}")
        assert result.returncode == 1
        assert result.stderr.splitlines()[-1].startswith(f"ImportError: lazyarr is not built in {folder.path}: run `")


# ---- the command ----


@pytest.fixture
def command(folder):
    """Return the path of a script like the one that pip makes for the entry point, in its own folder."""
    module, function = PYPROJECT["project"]["scripts"]["lazyarr"].split(":")
    folder.write(bin__command=f"import sys\nfrom {module} import {function}\nsys.exit({function}())")
    return str(folder.path / "bin" / "command.py")


@pytest.mark.parametrize("arguments", [
    ["script.py", "x", "-m"], ["-m", "script", "x"], ["-c", "import sys; print(sys.argv, sys.path[0])", "x"],
    ["--version"], ["--help"], ["tune", "--help"],
])
def test_command_is_the_module(folder, command, arguments):
    folder.write(script="import numpy, sys\nprint(numpy.__name__, __name__, __file__, sys.argv, sys.path[0])")
    assert folder.printed(command, *arguments) == folder.printed(*LAZY, *arguments)


@pytest.mark.parametrize(("options", "expected"), [([], "True"), (["-O"], "False")])
def test_command_compares_with_its_interpreters_options(folder, command, options, expected):
    folder.write(script="print(__debug__)")
    assert folder.printed(*options, command, "--compare", "-m", "script")[0] == expected


def test_command_passes_over_a_package_in_the_current_folder(folder, command):
    folder.write(lazyarr____init__="raise ImportError('the wrong one')")
    assert folder.printed(command, "--version") == [f"lazyarr {lazyarr.__version__}"]


@installed
def test_command_is_installed():
    [point] = importlib.metadata.entry_points(group="console_scripts", name="lazyarr")
    assert point.value == PYPROJECT["project"]["scripts"]["lazyarr"]


def test_readme_commands_are_what_ci_runs():
    block = re.search(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    commands = block[1].splitlines()
    assert len(commands) == 2
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert [command for command in commands if f"run '{command}'" not in ci] == []


def test_the_conda_recipe_asks_for_what_the_package_needs():
    recipe = (ROOT / "conda" / "meta.yaml").read_text("utf-8")
    project = PYPROJECT["project"]
    needed = {"host": PYPROJECT["build-system"]["requires"], "run": project["dependencies"]}
    for part, packages in needed.items():
        listed = recipe.partition(f"  {part}:\n")[2].partition(":\n")[0]
        for package in packages:
            name, _, version = package.partition(">=")
            assert f"    - {name.lower()} >={version}\n" in listed, (part, package)
    assert project["license"] in recipe
    assert project["description"] in recipe


def test_extras_for_building_repeat_the_build_requirements():
    dev = set(PYPROJECT["project"]["optional-dependencies"]["dev"])
    needed = set(PYPROJECT["build-system"]["requires"]) - set(PYPROJECT["project"]["dependencies"])
    assert needed <= dev


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.as_posix())
def test_names_in_a_stub_exist(stub):
    module = stub_module(stub)
    assert {name for name in public(stub_definitions(stub)) if not hasattr(module, name)} == set()


@pytest.mark.parametrize("namespace", [lazyarr, lazyarr.nn, lazyarr.nn.grad, lazyarr.nn.initialisers],
                         ids=lambda namespace: namespace.__name__)
def test_annotations_of_public_functions_resolve(namespace):
    for name in namespace.__all__:
        if inspect.isroutine(function := getattr(namespace, name)):
            typing.get_type_hints(function)  # raises NameError for names imported under TYPE_CHECKING


def test_public_names_are_in_the_stub():
    statements = ast.parse((ROOT / "lazyarr/__init__.pyi").read_text(encoding="utf-8")).body
    [listed] = [ast.literal_eval(statement.value) for statement in statements if isinstance(statement, ast.Assign)]
    assert sorted(listed) == sorted(lazyarr.__all__)


@pytest.mark.parametrize("stub", [stub for stub in STUBS if (ROOT / stub).with_suffix(".pyx").exists()],
                         ids=lambda stub: stub.as_posix())
def test_names_of_a_native_module_are_in_its_stub(stub):
    module = stub_module(stub)
    # Names that a module defines rather than imports; constants do not know their origin.
    own = {name for name in public(vars(module)) if getattr(vars(module)[name], "__module__", None) == module.__name__}
    assert own - set(stub_definitions(stub)) == set()


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.as_posix())
def test_parameters_in_a_stub_are_the_real_ones(stub):
    module = stub_module(stub)
    for name, statement in stub_definitions(stub).items():
        if isinstance(statement, ast.FunctionDef) and not name.startswith("_"):
            real = list(inspect.signature(getattr(module, name)).parameters.values())
            if [parameter.name for parameter in real] != ["args", "kwargs"]:
                assert parameter_names(statement) == names_in_order(real), name


@pytest.mark.parametrize("stub", STUBS, ids=lambda stub: stub.as_posix())
def test_class_members_in_a_stub_exist(stub):
    for name, statement in stub_definitions(stub).items():
        if isinstance(statement, ast.ClassDef) and not name.startswith("_"):  # which describe objects and results
            cls, members = getattr(stub_module(stub), name), definitions(statement.body)
            if hasattr(cls, "__getattr__"):  # which answers for variables
                members = {key for key, member in members.items() if not isinstance(member, ast.AnnAssign)}
            # __buffer__ is for type checkers: before Python 3.12 it does not exist at run time.
            assert set(members) - {*dir(cls), "__buffer__"} == set(), name


def test_array_stub_has_every_public_member():
    assert public(dir(lazyarr.LazyArray)) - set(array_members()) == set()


def test_array_methods_take_the_parameters_in_the_stub():
    for name, statement in array_members().items():
        if isinstance(statement, ast.FunctionDef) and not name.startswith("_") \
                and "property" not in {ast.unparse(each).partition(".")[0] for each in statement.decorator_list} \
                and not any(ast.unparse(each).endswith(".setter") for each in statement.decorator_list):
            method = getattr(lazyarr.LazyArray, name)
            real = inspect.signature(getattr(method, "lazily", method)).parameters
            if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in real.values()):
                assert set(parameter_names(statement)) - {*real, "self"} == set(), name


def test_config_stub_has_the_settings():
    body = stub_definitions(Path("lazyarr/__init__.pyi"))["_Config"].body
    call = definitions(body)["__call__"]
    assert public(definitions(body)) == set(dir(lazyarr.config))
    assert {argument.arg for argument in call.args.kwonlyargs} == {*dir(lazyarr.config)} - {"tuning"}
