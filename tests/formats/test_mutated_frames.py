"""Random Arrow tables: they are read or refused."""

import pyarrow as pa

from rankgauge.errors import InputError
from rankgauge.formats import frames

IDS = ["1", "007", "ä💡", "", "an id of more than twelve bytes", "another id of more than twelve bytes"]
TEXTS = [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.binary_view()]
NUMBERS = [pa.int8(), pa.uint8(), pa.int64(), pa.uint64(), pa.float32(), pa.float64()]


def a_column(draw, kind, coded, values):
    """Values as an Arrow array of this type: sliced, in a dictionary if it is coded, some with a null."""
    size, before = len(values), draw.randrange(3)
    padded = [*draw.choices(values, k=before), *values, *draw.choices(values, k=draw.randrange(3))]
    if draw.random() < 0.1:
        padded[draw.randrange(len(padded))] = None
    if not coded:
        return pa.array(padded, kind)[before : before + size]
    entries = [*dict.fromkeys(padded), *([] if None in padded else [None])]
    draw.shuffle(entries)
    codes = [None if value is None and draw.random() < 0.5 else entries.index(value) for value in padded]
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(entries, kind))[
        before : before + size
    ]


def a_table(draw):
    """A table of one to three batches, with columns of random types."""
    kinds = {"qid": draw.choice(TEXTS), "docno": draw.choice(TEXTS), "score": draw.choice(NUMBERS)}
    coded = {name: draw.random() < 0.4 for name in kinds}
    batches = []
    for _ in range(draw.randrange(1, 4)):
        size = draw.randrange(1, 12)
        values = {"qid": IDS, "docno": IDS, "score": range(100)}
        arrays = [a_column(draw, kinds[n], coded[n], draw.choices(values[n], k=size)) for n in kinds]
        batches.append(pa.record_batch(arrays, names=list(kinds)))
    return pa.Table.from_batches(batches)


def outcome(frame):
    """The rows of a frame, or the error."""
    try:
        found = frames.read(frame, "run")
    except InputError as error:
        return str(error)
    return list(zip(found.topic, found.doc, found.value.tolist(), strict=True))


def as_bytes(value):
    return value.encode() if isinstance(value, str) else value


def test_random_frames_are_read_or_refused(cases, count):
    count, refused = count // 5, 0
    for _, draw in cases(count, seed="frames"):
        table = a_table(draw)
        rows = [tuple(map(as_bytes, row.values())) for row in table.to_pylist()]
        nulls = {f"row {n} (counted from 0)" for n, row in enumerate(rows) if None in row}
        found = outcome(table)
        if nulls:
            refused += 1
            assert found.split(":")[0] in nulls
            assert "is null; fill it or remove the row" in found
        else:
            assert found == rows
    assert count / 20 < refused < count / 2
