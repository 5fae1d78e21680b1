"""Randomization: every value is kept with some probability, or moved to another of its domain.

A randomized release has records and no groups. A reader knows the *channel* of each attribute, and
estimates from it what was there, but does not know of any single record whether it tells the truth
(Guo, Ying, Wu 2011).

- `channel`: how one attribute is distorted;
- `risk`: what the records tell of a person;
- `optimization`: the channels that cost least, of those that bound what is told;
- `drawn`, `drawing`: records as they were drawn, and how that is done;
- `grid`: the combinations of values that they may have had;
- `reconstruction`: how many had them, without bias; `likelihood`: and the likeliest counts.
"""
