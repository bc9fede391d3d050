"""The programs of the gallery, at small sizes, compute the same with NumPy and with lazyarr, and draw."""

import ast
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

import lazyarr as la

mpl.use("Agg")
from matplotlib import pyplot as plt

GALLERY = Path(__file__).resolve().parents[1] / "examples" / "gallery"

# Constants that make each program small, and the tolerance of its results, 0 if no sum is rounded.
SMALL = {
    "plot_colours": ({"SPACING": 4, "ITERATIONS": 1}, 1e-4),    # rounding decides where later points belong
    "plot_cylinder": ({"STEPS": 30, "TIMED_STEPS": 10}, 1e-5),
    "plot_digits": ({"STEPS": 30}, 1e-9),
    "plot_galaxies": ({"STEPS": 30, "TIMED_STEPS": 5}, 0),
    "plot_gray_scott": ({"STEPS": 100, "TIMED_STEPS": 30}, 0),
    "plot_implied_volatility": ({"MATURITIES": 40, "ITERATIONS": 6}, 0),
    "plot_ising": ({"SIZE": 64, "SWEEPS": 20, "TIMED_SWEEPS": 5}, 0),
    "plot_julia": ({"ITERATIONS": 25}, 0),
    "plot_spirals": ({"STEPS": 30, "PIXELS": 80}, 1e-5),
    "plot_sunlight": ({"REACH": 8}, 0),
    "plot_turbulence": ({"SIZE": 96, "STEPS": 20, "TIMED_STEPS": 5}, 1e-9),
    "plot_two_slits": ({"STEPS": 240, "SCREEN": 40, "TIMED_STEPS": 30}, 0),
}
PACKAGES = {"lazyarr", "matplotlib", "numpy", "sklearn", "time"}


def source(name):
    return (GALLERY / f"{name}.py").read_text(encoding="utf-8")


def with_constants(tree, constants):
    """Change the values of constants that a program assigns at top level."""
    left = dict(constants)
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in left:
            node.value = ast.copy_location(ast.Constant(left.pop(ast.unparse(node.targets[0]))), node.value)
    assert not left, f"no constants of these names: {left}"
    return tree


@pytest.fixture(autouse=True)
def no_figures():
    plt.close("all")
    yield
    plt.close("all")


def test_there_are_twelve_programs():
    assert {path.stem for path in GALLERY.glob("*.py")} == SMALL.keys()
    assert len(SMALL) == 12


def test_most_are_functions_of_the_array_module():
    def takes_module(tree):
        return any(isinstance(node, ast.FunctionDef) and node.args.args and node.args.args[0].arg == "xp"
                   for node in tree.body)

    trees = {name: ast.parse(source(name)) for name in SMALL}
    assert sum(map(takes_module, trees.values())) >= 8
    assert sum("la.grad" in source(name) or "nn." in source(name) for name in SMALL) >= 2


@pytest.mark.parametrize("name", SMALL)
def test_is_a_page_of_the_gallery(name):
    tree = ast.parse(source(name))
    title, underline, blank, *_ = ast.get_docstring(tree).split("\n")
    assert set(underline) == {"="}
    assert len(title) == len(underline)
    assert not blank
    imported = {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    assert {package.partition(".")[0] for package in imported} <= PACKAGES


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", SMALL)
def test_computes_the_same_with_both_modules_and_draws(name, capsys):
    constants, tolerance = SMALL[name]
    names = {"__name__": "__main__"}
    exec(compile(with_constants(ast.parse(source(name)), constants), f"{name}.py", "exec"), names)

    numpys, lazy = names["with_numpy"], names["with_lazyarr"]
    assert type(numpys) is np.ndarray
    assert type(lazy) is la.LazyArray
    assert lazy.dtype == numpys.dtype
    assert np.ptp(numpys) > 0
    np.testing.assert_allclose(lazy.numpy(), numpys, rtol=tolerance, atol=tolerance)

    *_, times, same = capsys.readouterr().out.splitlines()
    assert times.startswith("NumPy ")
    assert same.startswith("the same ")
    assert same.endswith(": True")

    drawn = plt.gcf().axes
    assert any(ax.get_title() for ax in drawn)
    assert all(ax.has_data() for ax in drawn)
    plt.gcf().canvas.draw()
