"""The study of Riboni, Pareschi and Bettini, TDSC 2012: their figures 3 to 8, and what they lack.

`design` holds the defences and adversaries, `history` publishes week by week and measures, `gain`
and `cost` say what is drawn.
"""
