"""Our own study of tables that grow: what twelve monthly releases tell together, and cost.

`design` holds what is published and measured, `course` publishes month by month, in all ways, and
measures, `told` says what is drawn.
"""
