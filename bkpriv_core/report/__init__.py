"""Reports: what was published, how safe it is and what it costs, as one page to read and to file.

A report is made of *facts*, which audits, utility and history have found; nothing is measured here.
It is one HTML file that loads nothing and runs nothing: `templates` say what is in it, and escape
whatever is put into them; `chart` places bars; `words` says in plain language what requirements
promise; `page` puts it together. There are two *audiences*. Officers get all of it. Outsiders get
no value of a record, no count of records below the size of groups, and no names of people, sources,
tables or policies, nor reasons that somebody wrote down.
"""
