from typing import final

group_size: int
most_groups: int
found_bytes: int

@final
class Launch: ...
