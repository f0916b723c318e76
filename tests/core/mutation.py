"""Files as they should not be: random runs and judgments, then broken on purpose."""

DOCS = [
    b"d1",
    b"d10",
    b"d2",
    b"D2",
    b"doc-4",
    b"\xc3\xa9",
    b"\xff\xfe",
    b"x" * 15,
    b"x" * 16,
    b"x" * 17,
    b"007",
    b"7",
]
TOPICS = [b"1", b"10", b"2", b"t-3", b"\xf0\x9f\x98\x80", b"a" * 20]
NUMBERS = [
    b"1",
    b"1",
    b"2",
    b"0",
    b"-1",
    b"0.5",
    b"1.5",
    b"3",
    b"2.25",
    b"1e1",
    b"10",
    b".5",
    b"5.",
    b"+4",
    b"-0",
]
# Numbers that are hard to read right, or no numbers at all.
ODD_NUMBERS = [
    *(
        b"nan",
        b"NaN",
        b"-nan",
        b"inf",
        b"-Infinity",
        b"+inf",
        b"infin",
        b"1e400",
        b"-1e400",
        b"1e-400",
        b"5e-324",
    ),
    *(
        b"1_000",
        b"0x10",
        b"1e",
        b"1e+",
        b"e5",
        b".",
        b"-",
        b"+-1",
        b"--1",
        b"1.2.3",
        b"1,5",
        b"1e5.0",
        b"\xd9\xa3",
    ),
    *(
        b"179769313486231580793e289",
        b"1.7976931348623157e308",
        b"1.7976931348623159e308",
        b"2.2250738585072011e-308",
    ),
    *(
        b"9007199254740993",
        b"9007199254740992.9",
        b"123456789012345678901234567890",
        b"0." + b"0" * 400 + b"1",
    ),
    *(
        b"16777217",
        b"16777216",
        b"0.1",
        b"0.10000000000000001",
        b"0.1000000000000000055511151231257827",
        b"1e23",
    ),
    *(
        b"8.5e22",
        b"1e22",
        b"1e-22",
        b"72057594037927945",
        b"0e999999999",
        b"1e99999999999999999999",
        b"1" * 400,
    ),
    *(
        b"00000000000000000000000001",
        b"1e-99999999999999999999",
        b"12345678.87654321",
        b"0.123456789012345678",
    ),
]
RANKS = [b"1", b"2", b"3", b"0", b"-5", b"+7", b"0009"]
ODD_RANKS = [
    b"x",
    b"1.0",
    b"9007199254740991",
    b"9007199254740992",
    b"-9007199254740991",
    b"-9007199254740992",
    b"9223372036854775807",
    b"9223372036854775808",
    b"-9223372036854775808",
    b"",
    b"+",
    b"1_0",
    b"0" * 5000 + b"1",
]
ODD_LINES = [
    b"",
    b" \t ",
    b"# a comment",
    b"#",
    b" # also one",
    b"1 2 3",
    b"1 Q0 d 1 1 tag more",
    b"\x0b\x0c\x1c",
]


def lines(rng, kind):
    """The lines of a run or of judgments, topic after topic."""
    found, oddness = [], rng.choice([0, 0, 0, 0.02, 0.1])

    def pick(usual, odd):
        return rng.choice(odd if rng.random() < oddness else usual)

    for topic in rng.sample(TOPICS, rng.randint(1, 4)):
        docs = rng.sample(DOCS, rng.randint(1, len(DOCS)))
        if rng.random() < 0.3:
            docs += [b"u%d" % n for n in range(rng.choice([3, 30, 60]))]
        for doc in docs:
            if kind == "run":
                rank = pick(RANKS, ODD_RANKS)
                fields = [topic, b"Q0", doc, rank, pick(NUMBERS, ODD_NUMBERS), b"tag"]
            else:
                fields = [topic, b"0", doc, pick(NUMBERS, ODD_NUMBERS)]
            found.append(separator(rng).join(fields))
    return found


def separator(rng):
    return b" " if rng.random() < 0.8 else rng.choice([b"\t", b"  ", b" \t ", b"\x0b", b"\x0c", b"\r"])


def mutated(rng, kind="run"):
    """The bytes of a file with any number of things wrong, often none."""
    rows = lines(rng, kind)
    for _ in range(rng.choice([0, 0, 1, 1, 2, 5])):
        rng.choice(LINE_MUTATIONS)(rng, rows)
    text = bytearray(rng.choice([b"\n", b"\n", b"\n", b"\r\n"]).join(rows))
    if rng.random() < 0.8:
        text += b"\n"
    for _ in range(rng.choice([0, 0, 0, 1, 1, 3])):
        rng.choice(BYTE_MUTATIONS)(rng, text)
    return bytes(text)


def shuffle(rng, rows):
    rng.shuffle(rows)


def repeat_a_line(rng, rows):
    rows.insert(rng.randint(0, len(rows)), rng.choice(rows or [b"1"]))


def add_an_odd_line(rng, rows):
    rows.insert(rng.randint(0, len(rows)), rng.choice(ODD_LINES))


def splice_two_lines(rng, rows):
    if len(rows) > 1:
        at = rng.randrange(len(rows) - 1)
        rows[at : at + 2] = [rows[at] + rng.choice([b"", b" "]) + rows[at + 1]]


def lose_a_field(rng, rows):
    if rows:
        at = rng.randrange(len(rows))
        fields = rows[at].split(b" ")
        del fields[rng.randrange(len(fields))]
        rows[at] = b" ".join(fields)


def pad_a_line(rng, rows):
    if rows:
        at = rng.randrange(len(rows))
        rows[at] = rng.choice([b" ", b"\t", b""]) + rows[at] + rng.choice([b" ", b"\r", b"\t \x0b"])


LINE_MUTATIONS = [shuffle, repeat_a_line, add_an_odd_line, splice_two_lines, lose_a_field, pad_a_line]


def flip(rng, text):
    if text:
        text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)


def put(rng, text):
    if text:
        text[rng.randrange(len(text))] = rng.choice(b"\0\n\r\t #.e-+_09\x1c\x85\xa0\xff")


def cut(rng, text):
    del text[rng.randint(0, len(text)) :]


def drop(rng, text):
    begin = rng.randint(0, len(text))
    del text[begin : begin + rng.randint(0, 20)]


def double(rng, text):
    begin = rng.randint(0, len(text))
    text[begin:begin] = text[begin : begin + rng.randint(0, 40)]


BYTE_MUTATIONS = [flip, flip, put, put, cut, drop, double]


def chunks(rng, text):
    """The bytes in chunks of any size, some empty; or all at once."""
    if rng.random() < 0.3:
        return [text]
    sizes, at, found = rng.choice([[1], [1, 2, 3], [0, 7, 64, 65], [200], [1, 1000]]), 0, []
    while at < len(text):
        size = rng.choice(sizes)
        found.append(text[at : at + size])
        at += size
        if not any(sizes):
            break
    return found


def judged(rng):
    """{topic: {document: grade}}, any of them unjudged."""
    return {
        topic: {
            doc: rng.choice([-1.0, 0.0, 1.0, 2.0, 0.5]) for doc in rng.sample(DOCS, rng.randint(1, len(DOCS)))
        }
        for topic in rng.sample(TOPICS, rng.randint(1, len(TOPICS)))
    }
