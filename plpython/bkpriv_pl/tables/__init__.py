"""Tables that are published: their columns and values, and what is declared of them.

A source is resolved, locked and checked here, and read as cells and counts. Nothing here knows a
release.
"""
