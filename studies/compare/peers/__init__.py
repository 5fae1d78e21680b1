"""Tools that are compared, a module each, and the program that runs one in its own process.

Nothing here imports anything of the project: the modules run in ``.build/compare``, where the tools
are and nothing else. What a tool prints is for people and goes to the standard error.
"""
