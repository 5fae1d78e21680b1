"""Randomization: every value is kept with some probability, or moved to another of its domain.

A randomized release has records and no groups. Whoever reads it knows by which *channel* each
attribute went, and from that estimates what was there; of no single record does she know whether it
tells the truth (Guo, Ying, Wu 2011).

- `channel`: how one attribute is distorted;
- `drawn`: records as they were drawn;
"""
