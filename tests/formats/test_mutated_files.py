"""Files of every format with random damage: they are read or refused, and nothing else happens."""

import bz2
import gzip
import json
import lzma

import numpy as np
import pytest

from rankgauge import formats
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import FORMATS
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import OPENERS, Source, zstd
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


@pytest.mark.parametrize("packed", ["", *OPENERS])
@pytest.mark.parametrize(("name", "kind"), WRITABLE)
def test_damage_is_read_or_refused(name, kind, packed, tmp_path, columns_for, cases, count):
    formats.write(columns_for(name, kind), tmp_path / f"whole{packed}", name)
    whole = (tmp_path / f"whole{packed}").read_bytes()
    path = tmp_path / "damaged"
    for _, draw in cases(max(4, count // 300), seed=f"{name} {kind} {packed}"):
        path.write_bytes(damaged(whole, draw))
        for format in (name, None):
            assert said(path, kind, format).isprintable()
        assert str(validate(path, kind=kind))


HITS = json.dumps(
    {"took": 1, "hits": {"total": 2, "hits": [{"_id": f"d{n}", "_score": n / 2} for n in (1, 2)]}}
)
ONLY_READ = {
    "three columns": "1 a 2.5\n1 b 1\n2 a 3\n",
    "three columns with commas": '1,"a, b",2.5\n1, b,1\n2,a,3\n',
    "ranks": "1\ta\t1\n1\tb\t2\n2\ta\t1\n",
    "results inside": '{"query_id": 1, "results": [{"id": "a", "score": 2}, ["b", 1], "c"]}\n' * 2,
    "ranked lists": '{"1": ["a", "b"], "2": [], "3": [["a", 1.5]]}',
    "columns": '{"qid": ["1", "1"], "docno": ["a", "b"], "score": [1, 2]}',
    "a response": HITS,
    "responses by topic": f'{{"1": {HITS}, "2": {HITS}}}',
    "many responses": f'{{"responses": [{HITS}, {HITS}, {{"error": {{}}, "status": 404}}]}}',
    "lines of responses": f"{HITS}\n{HITS}\n",
    "ratings": '{"requests": [{"id": "q", "ratings": [{"_id": "a", "rating": 2}]}]}',
}


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("name", ONLY_READ)
def test_damage_to_what_is_only_read_is_read_or_refused(name, kind, tmp_path, cases, count):
    path = tmp_path / "damaged"
    for _, draw in cases(max(20, count // 30), seed=f"{name} {kind}"):
        path.write_bytes(damaged(ONLY_READ[name].encode(), draw))
        for format in (None, *(["json", "jsonl"] if ONLY_READ[name][0] == "{" else ["triples", "csv"])):
            assert said(path, kind, format).isprintable()
        assert str(validate(path, kind=kind))
        assert str(validate(path))


def checksummed(content):
    """A Zstandard frame with a checksum, which other compressions always have."""
    return zstd().compress(content, options={zstd().CompressionParameter.checksum_flag: 1})


PACKERS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zst": checksummed}
FOREIGN = [b"\0", b"\0" * 4, b"\n", b"junk", b"1 Q0 d 1 2 t\n", *(pack(b"1\n") for pack in PACKERS.values())]


def in_streams(text, pack, draw):
    """The text compressed in several streams, as parallel compressors do it, cut anywhere."""
    cuts = sorted(draw.randrange(len(text) + 1) for _ in range(draw.randrange(1, 5)))
    return [pack(text[a:b]) for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]


@pytest.mark.parametrize("suffix", PACKERS)
def test_one_of_several_streams_that_is_damaged_is_refused_or_changes_nothing(suffix, tmp_path, cases, count):
    path, refused = tmp_path / "data", 0
    for n, draw in cases(count // 20, seed=f"streams {suffix}"):
        text = b"".join(
            b"%d Q0 d%d 1 %d t\n" % (n % 9, i, draw.randrange(9)) for i in range(draw.randrange(40))
        )
        streams = in_streams(text, PACKERS[suffix], draw)
        path.write_bytes(b"".join(streams))
        assert b"".join(Source(path).chunks()) == text, n
        match draw.randrange(4):
            case 0:  # between streams
                streams.insert(draw.randrange(1, len(streams) + 1), draw.choice(FOREIGN))
                foreign = True
            case _:
                at = draw.randrange(1, len(streams))
                damaged = bytearray(streams[at])
                place = draw.randrange(draw.choice([4, len(damaged)]))
                if draw.random() < 0.8:
                    damaged[place] ^= 1 << draw.randrange(8)
                else:
                    del damaged[place : place + draw.randrange(1, 4)]
                streams[at] = bytes(damaged)
                foreign = False
        path.write_bytes(b"".join(streams))
        try:
            back = b"".join(Source(path).chunks())
        except InputError:
            refused += 1
        else:  # another stream of the same compression may come in between
            assert back == text or (foreign and len(back) == len(text) + 2), n
    assert refused > count // 40


IDS = [*PIECES, b"a", b"7", b"# ", b"Q0", b"'", b";", b"|", b"\x0b", b"\x1c", b"\xc2\x85", b"\xe2\x80\xa8"]


@pytest.mark.parametrize(("name", "kind"), WRITABLE)
def test_any_ids_read_back_or_are_not_written(name, kind, tmp_path, cases, count):
    path, written = tmp_path / "data", 0
    for n, draw in cases(max(20, count // 60), seed=f"ids {name} {kind}"):
        pieces = draw.sample(IDS, 8)

        def column(pieces=pieces, draw=draw):
            return [b"".join(draw.choice(pieces) for _ in range(draw.randrange(1, 4))) for _ in range(4)]

        topics, docs = column(), [b"%d" % i + doc for i, doc in enumerate(column())]
        if draw.random() < 0.5:
            docs = [doc[1:] + doc[:1] for doc in docs]
        columns = Columns(kind, Ids.of(topics), Ids.of(docs), np.array([1.0, 2.0, 3.0, 4.0]))
        try:
            formats.write(columns, path, name)
        except InputError:
            continue
        written += 1
        rows = sorted(zip(topics, docs, strict=True))
        back = formats.read(path, kind, name).checked()
        assert sorted(zip(back.topic, back.doc, strict=True)) == rows, n
        try:  # an id may make the file look like one of another format
            back = formats.read(path, kind).checked()
        except RankgaugeError:
            continue
        assert sorted(zip(back.topic, back.doc, strict=True)) == rows, n
    assert written
