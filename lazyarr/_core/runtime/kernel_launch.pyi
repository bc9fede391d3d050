group_size: int
most_groups: int
found_bytes: int

class Launch: ...
