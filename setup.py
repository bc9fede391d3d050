"""Build of the native modules of ``lazyarr``. Everything declarative is in pyproject.toml.

Read from the bottom: `setup` lists one extension, `_native`, for each of lazyarr's packages with ``.pyx`` files in or
below it, which `lazyarr/extension.py` loads; `BuildNative.build_extensions` determines the flags, translates the files
with Cython, compiles them on all cores and links those of a package together.

Environment
    LAZYARR_DEBUG=1     bounds checks, assertions and the verifier on, low optimisation. Never for a release.
    LAZYARR_SANITIZE=1  AddressSanitizer and UBSan check all native code, and end the process on errors: for gcc and
                        clang. Their libraries must be loaded before Python: see .ci/sanitize.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError
from setuptools.modified import newer_group

CORE = Path("lazyarr/_core")
FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
DEBUG = os.environ.get("LAZYARR_DEBUG", "0") not in ("", "0")
SANITIZE = os.environ.get("LAZYARR_SANITIZE", "0") not in ("", "0")

# The only place for Cython directives; a file that overrides one says why.
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": DEBUG,
    "initializedcheck": DEBUG,
    "nonecheck": DEBUG,
    "wraparound": False,  # native code uses no negative indices
    "cdivision": False,  # // and % of negative numbers follow Python, as in NumPy
    "binding": True,
    "embedsignature": True,
    "autotestdict": False,  # doctest finds the docstrings without it, and would find them twice with it
    "freethreading_compatible": True,  # see `lock_entries`
}

MACROS = [
    ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
    ("NPY_TARGET_VERSION", "NPY_2_0_API_VERSION"),
    ("LAZYARR_DEBUG", str(int(DEBUG))),
    ("LAZYARR_SANITIZE", str(int(SANITIZE))),
]
if not DEBUG:
    MACROS.append(("CYTHON_WITHOUT_ASSERTIONS", "1"))

# Only flags that cannot change a result or a floating-point status bit: no -ffast-math, and no -march=native, which
# would tie the wheel to one machine. Flags that a compiler does not support are left out.
UNIX_FLAGS = [
    "-O0" if SANITIZE else "-O1" if DEBUG else "-O3",  # sanitizers make optimisation too slow
    "-ffp-contract=off",  # NumPy rounds a*b+c twice, which a fused multiply-add does not
    "-fno-math-errno",  # nothing reads errno; the status bits, which errstate reads, are still set
    "-ffp-exception-behavior=maytrap",  # for clang: speculation must not raise status bits; gcc's default
    "-fwrapv",  # integer overflow wraps, as in NumPy
    "-fno-strict-aliasing",  # pooled memory is reused for other dtypes
    "-fvisibility=hidden",  # only module initialisers are exported
    *([] if DEBUG else ["-ffunction-sections"]),  # see SECTION_ORDER
    "-fno-plt",  # calls into Python need one jump less: 2 % of a small call
    # A small call takes up to 10 % longer if loops are badly aligned.
    *([] if DEBUG else ["-falign-functions=32", "-falign-loops=32"]),
    *(["-g", "-UNDEBUG"] if DEBUG else ["-g0"]),  # Python's own flags would triple the file size
]
# After the others, each of which can_build would otherwise compile alone.
SANITIZERS = ["-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
MSVC_FLAGS = ["/fp:precise", *(["/Od", "/UNDEBUG"] if DEBUG else ["/O2"])]

# A small call runs some 150 native functions, which would be scattered in a file of 10 MB, among kernels and Python
# wrappers. Side by side they take up to 7 % less time. Cython's helpers are grouped as well, those that imports do not
# run separately, so that fewer pages of the file are loaded.
SECTION_ORDER = """SECTIONS {
    .text.core : { *(.text.__pyx_f_*) }
    .text.helpers : {
        *(.text.__Pyx_AddTraceback* .text.__Pyx_CyFunction_[CVa-z]* .text.__Pyx_MatchKeywordArg* .text.__Pyx_NonPyLong*)
        *(.text.__Pyx_*)
    }
} INSERT BEFORE .text;
"""

# (compile flags, link flags) that may enable OpenMP, in the order in which they are tried.
OPENMP_MSVC = [(["/openmp"], [])]
OPENMP_UNIX = [(["-fopenmp"], ["-fopenmp"])]
OPENMP_MACOS = [
    (["-Xpreprocessor", "-fopenmp", *(f"-I{p}/include" for p in prefix)], [*(f"-L{p}/lib" for p in prefix), "-lomp"])
    for prefix in ([], [sys.prefix], ["/opt/homebrew/opt/libomp"], ["/usr/local/opt/libomp"])
]
# The module `_native` itself, which lists the modules in its file.
NATIVE_PROGRAM = """
#ifdef _MSC_VER
#include <Python.h>
#else
#include "tracebacks.h"
#endif
static int add_names(PyObject *module) { return PyModule_AddStringConstant(module, "MODULES", "NAMES"); }
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)add_names},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};
static struct PyModuleDef native = {PyModuleDef_HEAD_INIT, "_native", NULL, 0, NULL, slots, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__native(void) { return PyModuleDef_Init(&native); }
"""
OPENMP_PROGRAM = """
#include <omp.h>
int main(void) {
    int seen = 0;
    #pragma omp parallel num_threads(2) reduction(+:seen)
    seen += 1;
    return omp_get_max_threads() >= 1 && seen >= 1 ? 0 : 1;
}
"""


class Build(build):
    """Builds the package from scratch: leftovers of older sources would be packaged, too."""

    def run(self):
        """Build in an empty folder; object files are kept elsewhere."""
        shutil.rmtree(Path(self.build_lib, "lazyarr"), ignore_errors=True)
        super().run()


class BuildNative(build_ext):
    """Translates and compiles the extensions."""

    def finalize_options(self):
        """Compile on all cores unless told otherwise."""
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count()

    def build_extensions(self):
        """Determine the flags, translate and compile."""
        import numpy

        msvc = self.compiler.compiler_type == "msvc"
        flags = MSVC_FLAGS if msvc else [flag for flag in UNIX_FLAGS if self.can_build([flag])]
        openmp_compile, openmp_link = self.find_openmp(msvc)
        if SANITIZE:
            flags += SANITIZERS
            openmp_link = [*openmp_link, *SANITIZERS]
        settings = write_if_changed(Path(self.build_temp, "settings.txt"),
                                    repr([numpy.__version__, DIRECTIVES, MACROS, flags, openmp_compile]))
        order = write_if_changed(Path(self.build_temp, "sections.ld"), SECTION_ORDER)
        ordered = [f"-Wl,-T,{order}"]  # supported only by the linkers of GNU and LLVM
        if msvc or DEBUG or not self.can_build([], ordered, run=True):
            ordered = []
        self.translate()
        macros = [*MACROS, ("LAZYARR_BUILT_WITH_NUMPY", f'"{numpy.__version__}"')]
        folders = [numpy.get_include(), str(CORE), str(CORE / "simd")]
        if FREE_THREADED:
            flags += ["/FIentry_lock.h"] if msvc else ["-include", "entry_lock.h"]

        def compile_source(source):
            """Compile a C file, unless it, its headers and the flags are unchanged; return the name of the result."""
            [compiled] = self.compiler.object_filenames([source], output_dir=self.build_temp)
            if self.force or newer_group([source, *map(str, headers_of(source)), str(settings)], compiled):
                # `gemm` may fuse multiply-adds, as in any BLAS.
                own = ["-ffp-contract=fast"] if Path(source).stem == "gemm" and not msvc else []
                self.compiler.compile([source], self.build_temp, macros, folders,
                                      extra_postargs=[*flags, *openmp_compile, *own])
            return compiled

        for extension in self.extensions:
            with ThreadPoolExecutor(self.parallel) as pool:
                extension.extra_objects = list(pool.map(compile_source, extension.sources))
            extension.depends, extension.sources = extension.extra_objects, []
            # NumPy's half-precision conversions and distributions.
            extension.library_dirs = [str(Path(numpy.get_include()).parent / "lib"),
                                      str(Path(numpy.__file__).parent / "random" / "lib")]
            extension.libraries = ["npymath", "npyrandom", *([] if msvc else ["m"])]
            extension.extra_link_args = [*openmp_link, *ordered]
        super().build_extensions()  # links

    def translate(self):
        """Translate each ``.pyx`` to C, in a separate folder for each set of directives, Cython and NumPy.

        The C of a package's `_native` is written beside it.

        Cython only compares modification times: in a shared folder, a debug build would use C made for a release. It
        also checks NumPy's declarations, which pip unpacks anew for each build: if none of our own files is newer than
        the C, there is nothing to do.
        """
        import Cython
        import numpy
        from Cython.Build import cythonize

        made_by = zlib.crc32(repr([Cython.__version__, numpy.__version__, DIRECTIVES, FREE_THREADED]).encode())
        folder = Path(f"build/cython-{made_by:08x}")
        changed = max(path.stat().st_mtime for path in [*Path("lazyarr").rglob("*.p[yx][xd]"), Path("setup.py")])
        for extension in self.extensions:
            modules = [Path(source).with_suffix("") for source in extension.sources]
            translated = [folder / module.with_suffix(".c") for module in modules]
            if self.force or any(not c.exists() or c.stat().st_mtime < changed for c in translated):
                cythonize(
                    [Extension(".".join(module.parts), [f"{module.as_posix()}.pyx"]) for module in modules],
                    build_dir=str(folder),
                    compiler_directives=DIRECTIVES,
                    force=self.force or None,
                    nthreads=self.parallel,
                )
            names = write_if_changed(folder / f"{extension.name}.c",
                                     NATIVE_PROGRAM.replace("NAMES", " ".join(map(".".join, names_in(modules)))))
            extension.sources = [*map(str, translated), str(names)]

    def find_openmp(self, msvc):
        """Return the flags with which an OpenMP program compiles, links and runs; none, with a warning, if there are
        none.
        """
        candidates = OPENMP_MSVC if msvc else OPENMP_MACOS + OPENMP_UNIX if sys.platform == "darwin" else OPENMP_UNIX
        for compile_flags, link_flags in candidates:
            if self.can_build(compile_flags, link_flags, OPENMP_PROGRAM, run=True):
                return compile_flags, link_flags
        self.warn("no working OpenMP found: lazyarr is built without threads and will use one core")
        return [], []

    def can_build(self, compile_flags, link_flags=(), program="int main(void) { return 0; }\n", run=False):
        """Return whether a C program compiles with these flags and, if requested, links and runs successfully."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "probe.c")
            source.write_text(program)
            try:
                objects = self.compiler.compile([str(source)], output_dir=folder, extra_postargs=list(compile_flags))
                if not run:
                    return True
                self.compiler.link_executable(objects, "probe", output_dir=folder, extra_postargs=list(link_flags))
                probe = Path(folder, self.compiler.executable_filename("probe"))
                return subprocess.run([probe], stdin=subprocess.DEVNULL, timeout=60).returncode == 0
            except (CompileError, LinkError, OSError, subprocess.TimeoutExpired):
                return False


def names_in(modules):
    """Split modules' names within their package; the last components, which name C functions, must differ."""
    names = [module.parts[2:] for module in modules]
    last = Counter(name[-1] for name in names)
    if twice := [".".join(name) for name in names if last[name[-1]] > 1]:
        raise ValueError(f"modules of the same name in one extension: {', '.join(twice)}")
    return names


def lock_entries():
    """Make Cython take the core's lock in each function that Python can call, except generators.

    There the GIL does the lock's work (`simd/entry_lock.h`). The core's state is not safe without either.
    """
    from Cython.Compiler import Nodes, Pipeline
    from Cython.Compiler.ParseTreeTransforms import PostParse, YieldNodeCollector
    from Cython.Compiler.Visitor import CythonTransform

    class Leave(Nodes.StatNode):
        child_attrs = ()

        def analyse_expressions(self, env):
            return self

        def generate_execution_code(self, code):
            code.putln("lz_leave(&lz_entered);")

    class Entered(Nodes.TryFinallyStatNode):
        preserve_exception = False

        def generate_execution_code(self, code):
            code.begin_block()
            code.putln("lz_entry lz_entered;")
            code.putln("lz_enter(&lz_entered);")
            super().generate_execution_code(code)
            code.end_block()

    class LockEntries(CythonTransform):
        def visit_DefNode(self, node):
            self.visitchildren(node)
            yields = YieldNodeCollector()
            yields.visitchildren(node.body)
            if not yields.yields:
                node.body = Nodes.StatListNode(node.pos, stats=[
                    Entered(node.pos, body=node.body, finally_clause=Leave(node.pos))])
            return node

        def visit_CFuncDefNode(self, node):
            return self.visit_DefNode(node) if node.overridable else node

    plain = Pipeline.create_pipeline

    def with_entries(context, *args, **kwargs):
        stages = plain(context, *args, **kwargs)
        place = next(i for i, stage in enumerate(stages) if isinstance(stage, PostParse))
        return [*stages[:place + 1], LockEntries(context), *stages[place + 1:]]

    Pipeline.create_pipeline = with_entries


def headers_of(source):
    """Return our own headers that a C file includes, directly or indirectly."""
    found, pending = set(), [Path(source)]
    while pending:
        path = pending.pop()
        for name in re.findall(r'^\s*#\s*include\s+"([^"]+)"', path.read_text(), re.MULTILINE):
            headers = {folder / name for folder in (CORE, CORE / "simd") if (folder / name).exists()}
            pending += headers - found
            found |= headers
    return sorted(found)


def write_if_changed(path, text):
    """Write ``text`` to ``path`` unless it is there already, so that the file's time says when it last changed."""
    if not path.exists() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return path


if FREE_THREADED:  # here, since cythonize's worker processes may import this file
    lock_entries()

if __name__ == "__main__":  # cythonize's worker processes may import this file
    setup(
        ext_modules=[Extension(f"lazyarr.{package}._native",
                               [path.as_posix() for path in sorted(Path("lazyarr", package).rglob("*.pyx"))])
                     for package in sorted({path.parts[1] for path in Path("lazyarr").rglob("*.pyx")})],
        cmdclass={"build": Build, "build_ext": BuildNative},
    )
