"""The study of Guo, Ying and Wu, JCSE 2011: table 3, figures 3 to 7, tables 4 and 5.

It goes through no server: records are drawn over and over, from seeds, which are not for
publications. `design` holds the parameters, `workshop` makes releases, `spread` says how far those
that differ by chance do; the other modules are a topic of the paper's section V each.
"""
