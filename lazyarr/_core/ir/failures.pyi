from typing import final

@final
class Failure: ...
