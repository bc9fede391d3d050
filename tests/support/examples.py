"""Numbers of Hypothesis examples, for tests whose examples are slow or redundant."""

from hypothesis import settings


def examples(number):
    """Return settings with this many examples in the profile "standard", scaled for others."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 100))
