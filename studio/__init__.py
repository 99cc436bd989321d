"""The agent evaluation studio: evaluate tool-using agents on your own laptop."""

__version__ = "0.1.0"
