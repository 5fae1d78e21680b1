"""Randomized releases: records whose values may be others, and the channels that they went through.

- `form`: the form.
"""
