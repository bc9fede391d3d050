"""How many examples Hypothesis tries where each takes long, or few say much."""

from hypothesis import settings


def examples(number):
    """Return settings for this many examples in the profile "standard", and in proportion in others."""
    return settings(max_examples=max(1, number * settings.default.max_examples // 100))
