"""Privacy against adversaries with background knowledge: arrays in, frozen dataclasses out."""

__version__ = "0.10.0"
