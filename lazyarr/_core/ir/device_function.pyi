from typing import Any

class DeviceFunction:
    def run_on_device(self, device: int, operands: list[Any], words: Any) -> list[Any]: ...
