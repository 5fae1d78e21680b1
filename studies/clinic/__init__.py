"""A synthetic clinic: whoever is examined there weekly, and how illness takes its course.

Serial releases need data in which one result says something about the next, as in real data, and
that may be shown to anyone. The model follows the data of Riboni, Pareschi and Bettini 2012 as
their section 7.1 describes them: four diseases in stages, whose course depends on age, gender and
weight and on up to three past results. `course` holds the model as tables, `register` draws from
it, and `knowledge` is what the model says exactly, without drawing.
"""
