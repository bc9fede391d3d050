"""The version, stated here and nowhere else: the build reads this file as text, without importing the package."""

__version__ = "0.1.0"
