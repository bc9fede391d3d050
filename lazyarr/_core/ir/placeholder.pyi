class TracedValueError(TypeError):
    raised: int
