from typing import final

@final
class Instruction:
    loop: int
    node: int
    operands: tuple[int, ...]
    mode: int
    moves: bool
    def __init__(
        self, loop: int, node: int, operands: tuple[int, ...], mode: int = 0, moves: bool = False
    ) -> None: ...
    @property
    def op(self) -> str: ...
    @property
    def dtypes(self) -> str: ...

@final
class Fold:
    loop: int
    source: int
    node: int
    def __init__(self, loop: int, source: int, node: int) -> None: ...
    @property
    def op(self) -> str: ...
    @property
    def dtypes(self) -> str: ...

@final
class TileProgram:
    space: int
    loads: tuple[int, ...]
    registers: tuple[int, ...]
    stores: tuple[int, ...]
    instructions: tuple[Instruction, ...]
    folds: tuple[Fold, ...]
    updates: bool
    def __init__(
        self, space: int, loads: tuple[int, ...], registers: tuple[int, ...], stores: tuple[int, ...],
        instructions: tuple[Instruction, ...], folds: tuple[Fold, ...], updates: bool = False,
    ) -> None: ...
