"""Plain-text tables and human-readable numbers."""

from collections.abc import Sequence


def table(rows: Sequence[Sequence[object]], align: str) -> str:
    """Lay out rows of cells in columns two spaces apart, each aligned by ``<`` or ``>``.

    Examples
    --------
    >>> print(table([("steps", 12), ("ops", 3456)], "<>"))
    steps    12
    ops    3456
    """
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(f"{cell:{side}{width}}" for cell, side, width in zip(row, align, widths, strict=True))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)


def count(number: int, noun: str) -> str:
    """Format a number with a noun, as in "1 hit", "2 hits".

    Examples
    --------
    >>> count(1, "miss"), count(1200, "miss")
    ('1 miss', '1,200 misses')
    """
    plural = "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{plural if number != 1 else ''}"


def listed(names: Sequence[str], most: int = 6) -> str:
    """Join the first names, with the total number if there are more.

    Examples
    --------
    >>> listed(["add", "sin"]), listed("abcdef", most=2)
    ('add, sin', 'a, b, ... (6)')
    """
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown}, ... ({len(names)})"


def nbytes(number: float) -> str:
    """Format a number of bytes to about three digits.

    Examples
    --------
    >>> nbytes(512), nbytes(3 << 20), nbytes(1.5 * 2**40)
    ('512 B', '3.00 MiB', '1.50 TiB')
    """
    return _scaled(number, 1024, ("B", "KiB", "MiB", "GiB", "TiB"))


def seconds(number: float | None) -> str:
    """Format a duration to about three digits; return an empty text if it is unknown.

    Examples
    --------
    >>> seconds(0.0000123), seconds(2.5)
    ('12.3 us', '2.50 s')
    """
    return "" if number is None else _scaled(number * 1e9, 1000, ("ns", "us", "ms", "s"))


def _scaled(number: float, step: int, units: Sequence[str]) -> str:
    power = 0
    while number >= step and power < len(units) - 1:
        number /= step
        power += 1
    digits = 0 if power == 0 or number >= 100 else 1 if number >= 10 else 2
    return f"{number:.{digits}f} {units[power]}"
