# One exception class for each of PostgreSQL's condition names, in CamelCase: `unique_violation` is
# UniqueViolation. There are some 250 and they differ by release, so they are not listed.

from . import SPIError

def __getattr__(name: str) -> type[SPIError]: ...
