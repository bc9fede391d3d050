from typing import Any, NamedTuple

class Step(NamedTuple):
    kind: str
    node: int
    program: tuple[Any, ...] | None
    frees: tuple[int, ...]
    donors: tuple[tuple[int, int], ...]
    in_place: tuple[int, ...]
    abreast: int = 1
    again: tuple[int, ...] = ()
    rows: int = 1
