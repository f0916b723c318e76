"""Files of every format with random damage: they are read or refused, and nothing else happens."""

import random

import pytest

from rankgauge import formats
from rankgauge.errors import RankgaugeError
from rankgauge.formats import FORMATS
from rankgauge.model.validation import validate

WRITABLE = [(f.name, kind) for f in FORMATS.values() for kind in f.kinds if f.write is not None]
PIECES = [b"\0", b"\n", b"\r", b'"', b",", b"{", b"}", b"[", b"nan", b"inf", b"\xff", b" ", b"\t", b"#", b"-"]
PIECES += [b"1e999", b"L", b"\xef\xbb\xbf", b"null", b"true", b"\\ud800", b":", b"9" * 50]


def damaged(content, draw):
    content = bytearray(content)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(content) + 1)
        match draw.randrange(4):
            case 0:
                content[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                content[at:at] = draw.choice(PIECES)
            case 2:
                del content[at : at + draw.randrange(1, 20)]
            case _:
                begin = draw.randrange(len(content) + 1)
                content[at:at] = content[begin : begin + draw.randrange(30)]
    return bytes(content)


def said(path, kind, format):
    """All that is said about a file."""
    try:
        columns = formats.read(path, kind, format)
        assert len(columns.topic) == len(columns.doc) == len(columns.value)
        columns.checked()
    except RankgaugeError as error:
        return str(error)
    return "".join(problem.sentence(kind) for problem in columns.problems)


@pytest.mark.parametrize("packed", ["", ".gz", ".zst"])
@pytest.mark.parametrize(("name", "kind"), WRITABLE)
def test_damage_is_read_or_refused(name, kind, packed, tmp_path, columns_for, request):
    draw = random.Random(f"{name} {kind} {packed}")
    formats.write(columns_for(name, kind), tmp_path / f"whole{packed}", name)
    whole = (tmp_path / f"whole{packed}").read_bytes()
    path = tmp_path / "damaged"
    for _ in range(max(6, request.config.getoption("fuzz") // 200)):
        path.write_bytes(damaged(whole, draw))
        for format in (name, None):
            assert said(path, kind, format).isprintable()
        assert str(validate(path, kind=kind))
