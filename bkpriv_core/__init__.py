"""Privacy against adversaries with background knowledge: arrays in, frozen dataclasses out."""

__version__ = "0.2.0"
