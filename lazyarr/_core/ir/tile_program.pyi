from typing import final

class LoopUse:
    loop: int
    node: int
    @property
    def op(self) -> str: ...
    @property
    def dtypes(self) -> str: ...

@final
class Instruction(LoopUse):
    operands: tuple[int, ...]
    mode: int
    moves: bool
    def __init__(
        self, loop: int, node: int, operands: tuple[int, ...], mode: int = 0, moves: bool = False
    ) -> None: ...

@final
class Fold(LoopUse):
    source: int
    def __init__(self, loop: int, source: int, node: int) -> None: ...

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
