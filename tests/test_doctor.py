"""What ``lazyarr doctor`` finds and advises."""
import math

import pytest

import lazyarr as la
from lazyarr import doctor
from lazyarr.config import SETTINGS

FINE = doctor.Facts(
    processor="one", machine="x86_64", vectors=2, cores=8, affinity=8, quota=math.inf, threads=8, openmp=True,
    debug=False, blas=(doctor.Blas("openblas", "0.3", 8),), devices=("cpu",), missing="", settings={}, variables={},
    tuning="/home/u/.cache/lazyarr/tuning.json", measured=60, tuned=0.0, cache=None)


def test_nothing_to_advise():
    assert doctor.advice(FINE) == []
    assert doctor.report(FINE).splitlines()[-1] == "Nothing was found that makes lazyarr slower"


@pytest.mark.parametrize("facts, problem, remedy", [
    ({"debug": True}, "debug build", "LAZYARR_DEBUG"),
    ({"openmp": False, "threads": 1}, "without OpenMP", "libomp"),
    ({"threads": 1, "variables": {"OMP_NUM_THREADS": "1"}}, "1 thread (OMP_NUM_THREADS) of 8", "num_threads = 8"),
    ({"threads": 8, "affinity": 2, "cores": 2}, "8 threads, but may run on 2 cores", "num_threads = 2"),
    ({"quota": 1.5, "threads": 2}, "to 1.5 of 8 cores", "--cpus"),
    ({"affinity": 4, "threads": 4}, "4 of the machine's 8 cores", "taskset"),
    ({"vectors": 0}, "no AVX2", "hypervisor"),
    ({"blas": (doctor.Blas("openblas", "0.3", 1),)}, "openblas, which", "OPENBLAS_NUM_THREADS"),
    ({"blas": (doctor.Blas("openblas", "0.3", None),)}, "unknown", "threadpoolctl"),
    ({"measured": 0}, "default tuning", "lazyarr tune"),
    ({"settings": {"debug_nans": True}}, "debug_nans", "debug_nans = False"),
    ({"settings": {"backend": {"*": "reference"}}}, "reference", "backend = None"),
])
def test_advice(facts, problem, remedy):
    facts = FINE._replace(**facts)
    found = doctor.advice(facts)
    assert any(problem in row.problem and remedy in row.remedy for row in found), found
    text = doctor.report(facts)
    assert all(row.problem in text and f"-> {row.remedy}" in text for row in found)


def test_other_processors_have_no_avx2():
    assert doctor.advice(FINE._replace(vectors=0, machine="aarch64")) == []


def test_facts_of_this_machine():
    facts = doctor.examine()
    assert facts.threads == la.config.num_threads
    assert facts.devices[:2] == ("cpu", "cpu:1")
    assert 0 < facts.affinity <= facts.cores
    assert doctor.report(facts).startswith("Versions\n")


def test_settings_that_differ():
    before = doctor.changed_settings()
    with la.config(debug=True, memo_limit=1 << 20):
        assert doctor.changed_settings() == before | {"debug": True, "memo_limit": 1 << 20}


def test_defaults_are_those_of_a_fresh_process(run_python):
    assert set(doctor.DEFAULTS) == {setting.name for setting in SETTINGS} - {"num_threads", "pool_limit"}
    assert run_python("from lazyarr import doctor\nprint(doctor.changed_settings())") == "{}\n"


def test_versions(capsys):
    la.show_versions()
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert shown["lazyarr"] == la.__version__
    assert {"Python", "system", "NumPy"} <= set(shown)
