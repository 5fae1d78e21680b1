"""Utility: what an analyst loses by what is done to protect people.

- `measures`: sizes of groups, their generality, what is suppressed;
- `divergence`: how far the joint distribution, and its associations, are from the original ones;
- `comparison`: releases of the same data side by side.

The loss of counts that analysts ask for is in `query`.
"""
