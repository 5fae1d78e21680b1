"""Our own study of attacks: what readers find out whom a policy names, and whom it does not.

`design` holds the tables, what is published of them and who attacks; `trial` publishes and attacks,
each pair once; `found` says what is drawn of that, and `small` plays who knows the algorithm, on
tables so small that all that could have been published is known.
"""
