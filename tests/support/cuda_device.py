"""The CUDA device that tests use: the machine's first one, else a mock that runs kernels on the processor."""

import os

import pytest

import lazyarr as la
from lazyarr._core import api
from lazyarr.gpu import discovery
from support import cuda_mock

DEVICE = "cuda:0"
ENVIRONMENT = {}
"""Variables by which other processes find it."""

if DEVICE not in la.devices():
    if cuda_mock.COMPILER is None:
        pytest.skip("there is no CUDA device, and no C++ compiler for a mock of one", allow_module_level=True)
    ENVIRONMENT = cuda_mock.environment()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in ENVIRONMENT.items():
            patched.setitem(os.environ, name, value)
        missing = discovery._add_cuda()
    assert not missing, missing
NUMBER = la.devices().index(DEVICE)
DRIVER = api.device_table.driver_of(NUMBER)
