from typing import final

@final
class TileProgram: ...
