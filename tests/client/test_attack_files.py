"""Files of hostile senders: none takes long for its size, and each is read or refused."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

import pytest

from bkpriv_client.dialect import Form
from bkpriv_client.failure import ClientError
from tests.client.loaded import loaded

LONG = 120_000


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1," + b"x" * LONG + b",\xff\n",
        b"a,b\n1," + b"x" * LONG + b"0\xff\n",
        b"a,b\n" + b"1,y" + b" " * LONG + b"!\n",
        b"a,b\n" + b"1," + b" " * LONG + b"!\n",
        b"a,b\n" + b"1,\t " * (LONG // 4) + b"!\n",
    ],
)
def test_a_long_field_takes_time_by_its_length(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(content)
    began = time.process_time()
    with suppress(ClientError):
        loaded(path, Form(header=True))
    assert time.process_time() - began < 3.0


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "punycode", "undefined"])
def test_what_is_not_in_the_stated_encoding_is_refused(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "file.csv"
    path.write_bytes(b'a,b\n1,2\n"-@')
    with pytest.raises(ClientError, match="cannot be read"):
        loaded(path, Form(encoding=encoding))
