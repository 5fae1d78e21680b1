"""The server around it: sessions, arguments and errors, memory, progress, what is told.

Nothing here knows what is published. All that runs PL/Python calls of others begins and ends here.
"""
