group_size: int
