from typing import Any, final

from lazyarr._core.ir.tile_program import TileProgram

@final
class Step:
    kind: str
    node: int
    program: TileProgram | None
    frees: tuple[int, ...]
    donors: tuple[tuple[int, int], ...]
    in_place: tuple[int, ...]
    concurrent: int
    recomputed: tuple[int, ...]
    rows: int
    def __init__(
        self, kind: str, node: int, program: TileProgram | None = None, frees: tuple[int, ...] = (),
        donors: tuple[tuple[int, int], ...] = (), in_place: tuple[int, ...] = (), *, concurrent: int = 1,
        recomputed: tuple[int, ...] = (), rows: int = 1,
    ) -> None: ...
    def replace(self, **changes: Any) -> Step: ...
