"""Human-readable tables and numbers."""

import pytest

from lazyarr.inspect import formatting


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (10.25 * 1024, "10.2 KiB"),
        (150 << 20, "150 MiB"),
        (3 << 30, "3.00 GiB"),
        (5000 << 40, "5000 TiB"),
    ],
)
def test_bytes(number, shown):
    assert formatting.nbytes(number) == shown


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 ns"), (2e-7, "200 ns"), (1.5e-6, "1.50 us"), (0.0123, "12.3 ms"), (7200, "7200 s")]
)
def test_seconds(number, shown):
    assert formatting.seconds(number) == shown


@pytest.mark.parametrize(("number", "shown"), [(0, "0 calls"), (1, "1 call"), (12345, "12,345 calls")])
def test_count(number, shown):
    assert formatting.count(number, "call") == shown


def test_table_ends_lines_without_blanks():
    assert formatting.table([("a", 1, "x"), ("long", 200, "")], "<><") == "a       1  x\nlong  200"
