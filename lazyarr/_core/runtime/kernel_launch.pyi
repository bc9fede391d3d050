group_size: int
most_groups: int

class Launch: ...
