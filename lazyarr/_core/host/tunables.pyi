from typing import Any

class Tunable:
    name: str
    unit: str
    low: float
    high: float
    doc: str
    def get(self) -> float: ...
    def set(self, value: float) -> None: ...

def tunable_in(
    namespace: dict[str, Any], variable: str, name: str, unit: str, low: float, high: float, doc: str
) -> None: ...
def declared() -> dict[str, Tunable]: ...
