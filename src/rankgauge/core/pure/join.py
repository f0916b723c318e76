"""From the rows of a run to hits: the ranks of its judged documents."""

from __future__ import annotations

import os
from array import array
from bisect import bisect_right
from contextlib import suppress
from itertools import groupby, repeat
from math import isnan
from typing import Any

from rankgauge.core import codes
from rankgauge.core.buffers import integers, numbers, strings
from rankgauge.core.pure.judgment_table import Judgments
from rankgauge.core.pure.order import DocumentOrder, TieCounter, check_rule, visible_ties
from rankgauge.core.pure.trec_lines import Lines, Problem, number, read_rank, unreadable

CHUNK = 1 << 18  # bytes read at once
THINNED = 1 << 18  # rows of a topic, from which on duplicates do not wait for its end
DUPLICATES = ("error", "first", "max")
Hit = tuple[int, int, int, int, float]  # rank, judgment, first and last rank of its tie, score


class Join:
    """Finds the ranks of the judged documents of a run, topic by topic.

    Which one of several problems is reported is undefined; `Table` reads a file again to report them all.
    """

    def __init__(
        self,
        judgments: Judgments,
        order: str,
        ties: str,
        precision: str,
        duplicates: str,
        collect: bool,
        detail: bool,
        visibility: Any = None,
    ) -> None:
        self._judgments, self._visible = judgments, visible_ties(visibility)
        self._order = DocumentOrder(order, ties, precision)
        self._needs_rank = self._order.needs_rank
        self._duplicates, self._collect = check_rule(duplicates, DUPLICATES), collect
        self._lines = Lines()
        self._problem: Problem | None = None
        self._finished = False
        self._topic: bytes | None = None
        self._open: dict[bytes, tuple[list[bytes], list[Any], list[Any]]] = {}  # docs, scores, ranks
        self._limits: dict[bytes, int] = {}  # of rows of a topic, before duplicates are dropped
        self._left: list[bytes] = []  # collected topics to be ranked, the last one first
        self._seen: set[bytes] = set()
        self._hits: dict[str, array[int]] = {
            name: array("q") for name in ("topic", "retrieved", "tied", "decisive", "rank", "judgment")
        }
        self._hits["starts"] = array("q", [0])
        # Per hit, the ranks that its tie takes up and its score; per topic, the sum of squared scores.
        if detail:
            self._hits |= {"first": array("q"), "last": array("q")}
        self._scores = {"score": array("d"), "squares": array("d")} if detail else {}
        self._unjudged = array("q")  # hashes of topics without judgments, to notice one in several parts
        self._counts = {"unjudged_topics": 0, "rows": 0, "dropped": 0}

    def feed(self, chunk: Any) -> Problem | None:
        """Take the next bytes of a TREC run file."""
        if self._problem is None and not self._finished:
            self._take(self._lines.of(bytes(chunk)))
            if self._problem is None and self._lines.is_overlong:  # a problem, even if the line never ends
                self._take(self._lines.last())
        return self._problem

    def scan(self, file: int, begin: int, end: int) -> Problem | None:
        """Take the bytes of an open file from one place to another."""
        os.lseek(file, begin, os.SEEK_SET)
        while begin < end and self._problem is None:
            chunk = os.read(file, min(CHUNK, end - begin))
            if not chunk:  # the file has become shorter
                break
            begin += len(chunk)
            self.feed(chunk)
        return self._problem

    def regroup(self, joins: list[Join]) -> None:
        """Take over the rows of joins of later parts of a run, so that topics are whole."""
        if not self._collect:
            raise ValueError("only joins that collect can be regrouped")
        for join in (self, *joins):
            join._end_lines()
            self._problem = self._problem or join._problem
        for join in joins:
            for topic, columns in join._open.items():
                mine = self._open.setdefault(topic, ([], [], []))
                for column, more in zip(mine, columns, strict=True):
                    column.extend(more)
            join._open.clear()

    def _end_lines(self) -> None:
        if self._problem is None and not self._finished:
            self._take(self._lines.last())
        self._finished = True

    def _take(self, lines: bytes) -> None:
        """Take lines: all at once if they are simple, as most are, otherwise one by one."""
        count = lines.count(b"\n")
        simple = not (self._needs_rank or b"\0" in lines or b"#" in lines or len(lines) > codes.MAX_LINE)
        fields = lines.replace(b"\n", b" \0 ").split() if simple else []  # six per line, and where it ends
        if len(fields) != 7 * count or {*fields[6::7]} != {b"\0"}:
            for line in lines.split(b"\n")[:-1]:
                self._lines.count += 1
                if not self._take_line(line, line.split()):
                    return
            return
        self._lines.count += count
        all_docs, all_scores, begin = fields[2::7], fields[4::7], 0
        for topic, run in groupby(fields[::7]):
            end = begin + len(list(run))
            if topic != self._topic and not self._enter(topic):
                return
            docs, scores, _ = self._open[topic]
            docs.extend(all_docs[begin:end])
            scores.extend(all_scores[begin:end])
            if not self._thin(topic):
                return
            begin = end

    def _take_line(self, line: bytes, fields: list[bytes]) -> bool:
        problem = unreadable(line)
        if problem is None and (not fields or fields[0].startswith(b"#")):
            return True
        if problem is None and len(fields) != 6:
            problem = codes.COLUMNS, line[: codes.FOUND_BYTES]
        rank = read_rank(fields[3]) if problem is None and self._needs_rank else 0
        if rank is None:
            problem = codes.BAD_RANK, fields[3][: codes.FOUND_BYTES]
        if problem:
            return self._fail(*problem)
        topic, doc, score = fields[0], fields[2], fields[4]
        if topic != self._topic and not self._enter(topic):
            return False
        docs, scores, ranks = self._open[topic]
        docs.append(doc)
        scores.append(score)
        ranks.append(rank)
        return self._thin(topic)

    def columns(
        self,
        topic_data: Any,
        topic_offsets: Any,
        topic: Any,
        doc_data: Any,
        doc_offsets: Any,
        scores: Any,
        ranks: Any,
    ) -> Problem | None:
        """Take columns of some rows; a row's topic is a number among these topics."""
        names = strings(topic_data, topic_offsets)
        scored = numbers(scores, "d")
        if any(map(isnan, scored)):
            raise ValueError("a score is NaN")
        rows = zip(integers(topic), strings(doc_data, doc_offsets), scored, strict=True)
        places = repeat(0) if ranks is None else numbers(ranks, "q")
        if self._problem is not None or self._finished:
            return self._problem
        for (code, doc, score), rank in zip(rows, places, strict=False):  # places may have no end
            self._lines.count += 1
            name = names[code]
            if name != self._topic and not self._enter(name):
                break
            docs, values, ordinals = self._open[name]
            docs.append(doc)
            values.append(score)
            ordinals.append(rank)
            if not self._thin(name):
                break
        return self._problem

    def mapping(self, results: Any) -> bool:
        """Take {topic: {document: score}} of exact types; after False this join cannot be used any more."""
        if type(results) is not dict or self._needs_rank:
            return False
        judged: list[tuple[bytes, list[bytes], list[float]]] = []
        for topic, scored in results.items():
            if type(topic) is not str or type(scored) is not dict:
                return False
            if not all(type(doc) is str for doc in scored):
                return False
            if not all(isinstance(s, float) or type(s) is int for s in scored.values()):
                return False
            try:
                name = topic.encode("utf-8")
                values = [float(score) for score in scored.values()]
                docs = [doc.encode("utf-8") for doc in scored]
            except (OverflowError, UnicodeEncodeError):  # no double, or no UTF-8
                return False
            if any(value != value for value in values):
                return False
            if name in self._judgments.numbers:
                judged.append((name, docs, values))
            elif docs:
                self._counts["unjudged_topics"] += 1
        for name, docs, values in sorted(judged):
            if docs:
                self._close(name, docs, values, [])
        return True

    def rank_some(self) -> bool:
        """Rank some of the collected topics; False once none is left.

        Ranking all of them takes long, and the caller may want to stop.
        """
        self._end_lines()
        if not self._collect or self._problem is not None or not self._open:
            return False
        if not self._left:
            number = self._judgments.numbers
            self._left = sorted(self._open, key=lambda topic: number.get(topic, -1), reverse=True)
        topic = self._left.pop()
        self._close(topic, *self._open.pop(topic))
        return True

    def finish(self) -> Any:
        """The hits as a dict of buffers, or a problem as a tuple."""
        while self.rank_some():
            pass
        for topic in [*self._open]:  # the last one, unless topics were collected
            if self._problem is None:
                self._close(topic, *self._open.pop(topic))
        return self._problem or {
            **self._hits,
            **self._scores,
            "unjudged_hashes": self._unjudged,
            **self._counts,
        }

    def _fail(self, code: int, found: bytes) -> bool:
        self._problem = code, self._lines.count, found
        return False

    def _enter(self, topic: bytes) -> bool:
        """Make this the current topic, and close the one before."""
        if not self._collect and self._topic is not None:
            self._close(self._topic, *self._open.pop(self._topic))
            if self._problem is not None:
                return False
            if topic in self._seen:
                return self._fail(codes.REAPPEARED, topic)
        self._seen.add(topic)
        self._open.setdefault(topic, ([], [], []))
        self._topic = topic
        return True

    def _thin(self, topic: bytes) -> bool:
        """Drop duplicates of a long topic: a small compressed file can hold one row millions of times."""
        docs, fields, ranks = columns = self._open[topic]
        if len(docs) < self._limits.get(topic, THINNED):
            return True
        if not self._needs_rank:
            ranks.clear()
        if len({*docs}) < len(docs):
            values = self._read(fields)
            rows = [] if self._problem else self._without_duplicates(topic, docs, values)
            self._counts["rows"] += len(docs) - len(rows)
            for column in columns:
                column[:] = [column[row] for row in rows] if column else []
        self._limits[topic] = max(THINNED, 2 * len(docs))
        return self._problem is None

    def _close(self, topic: bytes, docs: list[bytes], fields: list[Any], places: list[Any]) -> None:
        values = self._read(fields)
        ranks = places if self._needs_rank else []
        if self._problem is not None:
            return
        scores = self._order.keys(values, ranks)
        self._counts["rows"] += len(docs)
        place = dict(zip(docs, range(len(docs)), strict=True))
        if len(place) < len(docs):
            rows = self._without_duplicates(topic, docs, values)
            docs, scores = [docs[r] for r in rows], [scores[r] for r in rows]
            ranks = [ranks[r] for r in rows] if ranks else []
            place = dict(zip(docs, range(len(docs)), strict=True))
        if self._problem is not None:
            return
        judged = self._judgments.numbers.get(topic)
        if judged is None:
            self._counts["unjudged_topics"] += 1
            if not self._collect:
                self._unjudged.append(hash(topic))
            return
        found, tied, decisive = self._rank(docs, scores, ranks, place, self._judgments.documents[judged])
        for rank, judgment, first, last, score in sorted(found):
            self._hits["rank"].append(rank)
            self._hits["judgment"].append(judgment)
            if self._scores:
                self._hits["first"].append(first)
                self._hits["last"].append(last)
                self._scores["score"].append(score)
        if self._scores:
            squares = 0.0
            for square in sorted(score * score for score in scores):  # whatever the order of the lines
                squares += square
            self._scores["squares"].append(squares)
        for name, value in (
            ("topic", judged),
            ("retrieved", len(docs)),
            ("tied", tied),
            ("decisive", decisive),
        ):
            self._hits[name].append(value)
        self._hits["starts"].append(len(self._hits["rank"]))

    def _read(self, fields: list[Any]) -> list[Any]:
        """Scores from the fields of a file; columns and dicts have numbers already."""
        if not fields or not isinstance(fields[0], bytes):
            return fields
        if b"_" not in b" ".join(fields):  # float() also takes 1_000
            with suppress(ValueError):
                values = list(map(float, fields))
                if not any(map(isnan, values)):
                    return values
        for field in fields:
            value = number(field)
            if value is None or value != value:
                self._fail(
                    codes.BAD_SCORE if value is None else codes.NOT_A_NUMBER, field[: codes.FOUND_BYTES]
                )
                break
        return fields

    def _without_duplicates(self, topic: bytes, docs: list[bytes], values: list[float]) -> list[int]:
        """One row per document: the first, or the first of the highest score; or a problem."""
        kept: dict[bytes, int] = {}
        for row, doc in enumerate(docs):
            earlier = kept.setdefault(doc, row)
            if earlier == row:
                continue
            if self._duplicates == "error":
                self._fail(codes.DUPLICATE, topic + b"\0" + doc)
                break
            self._counts["dropped"] += 1
            if self._duplicates == "max" and values[row] > values[earlier]:
                kept[doc] = row
        return sorted(kept.values())

    def _rank(
        self,
        docs: list[bytes],
        scores: list[float],
        ranks: list[int],
        place: dict[bytes, int],
        judgments: dict[bytes, int],
    ) -> tuple[list[Hit], int, int]:
        """(hits in no order, documents that tie with a judged one, ties that could change a score)."""
        grades = self._judgments.grades
        ascending = sorted(scores)
        found: list[Hit] = []
        ties, tied, done = TieCounter(self._visible), 0, set()
        for doc in judgments.keys() & place.keys():
            score = scores[place[doc]]
            last = bisect_right(ascending, score)
            better = len(ascending) - last
            if last == 1 or ascending[last - 2] != score:
                found.append((better + 1, judgments[doc], better + 1, better + 1, score))
                continue
            if score in done:
                continue
            done.add(score)
            group = [row for row, other in enumerate(scores) if other == score]
            tied += len(group)
            numbers_of = [judgments.get(docs[row]) for row in group]
            ties.add(better, [None if number is None else grades[number] for number in numbers_of])
            self._order.sort_tied(group, docs, ranks)
            tie = better + 1, better + len(group)
            found += [
                (better + n, judgments[docs[row]], *tie, scores[row])
                for n, row in enumerate(group, 1)
                if docs[row] in judgments
            ]
        return found, tied, ties.total((hit[0], grades[hit[1]]) for hit in found)
