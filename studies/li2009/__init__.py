"""The study of Li, Li and Zhang, ICDE 2009: their figures 1 to 6, and one that they could not draw.

`design` holds the parameters, the other modules a topic of the paper's section V each.
"""
