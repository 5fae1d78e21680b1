"""The study of Martin et al., ICDE 2007: their figures 5 and 6, and what safety costs.

`nodes` makes the anonymised tables and measures them, `design` says which are drawn, `worst` and
`safety` say how.
"""
