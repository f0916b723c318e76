"""Ask search engines a set of queries over HTTP, and keep their responses as runs.

For example:
  rankgauge search topics.tsv 'old=http://localhost:9200/books/_search?q={query}&size=100'
  rankgauge search topics.tsv 'solr=http://localhost:8983/solr/books/select?q={query}&fl=id,score'
  rankgauge search topics.tsv old=https://a.org/_search new=https://b.org/_search --body query.json -o out
  rankgauge search topics.tsv new=https://b.org/_search --body query.json --header Authorization=MY_KEY

{query} stands for the query in the address or in the strings of --body, a JSON file that is sent by POST.
Responses are those of Elasticsearch, OpenSearch, Solr, Vespa and other engines, or of the shape that
--run-columns describes. Each engine's responses are written to NAME.jsonl, which reads as a run with the
titles and texts in it. Values of headers come from environment variables, and are written nowhere.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.options import add, whole_number
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.tools.search import EXAMPLE, Endpoint, answers
from rankgauge.formats.target import make_folder, writing
from rankgauge.formats.texts import topic_ids
from rankgauge.model.output.tables import printable
from rankgauge.model.texts import Texts
from rankgauge.schema.text import counted

MAX_FAILURES = 10  # that are waited for


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s TOPICS NAME=URL... [--body FILE] [--header NAME=VARIABLE]... [-o FOLDER]"
    parser.add_argument("topics", metavar="TOPICS", help="the queries: TSV, JSON lines or TREC's topics")
    parser.add_argument("engines", metavar="NAME=URL", nargs="+", help=f"an engine, such as old={EXAMPLE}")
    parser.add_argument(
        "-o",
        "--output",
        dest="written_into",
        metavar="FOLDER",
        default=".",
        help="the folder of NAME.jsonl (default .)",
    )
    parser.add_argument(
        "--body",
        action="append",
        default=[],
        metavar="[NAME=]FILE",
        help="JSON to send by POST, with {query} in its strings, to all engines or to one",
    )
    parser.add_argument(
        "--header",
        action="append",
        default=[],
        metavar="[NAME=]HEADER=VARIABLE",
        help="a header to send, such as Authorization, with the value of an environment variable",
    )
    parser.add_argument(
        "--timeout", type=float, default=30.0, metavar="S", help="seconds to wait for a response (default 30)"
    )
    parser.add_argument(
        "--at-once",
        type=whole_number(1, "--at-once", 64),
        default=4,
        metavar="N",
        help="requests to an engine at one time (default 4)",
    )
    add(parser, "--run-columns", "--quiet")


def run(args: argparse.Namespace) -> int:
    """Ask, write the responses, and say how to look at them; 1 if a query has no answer."""
    if not args.timeout > 0:
        raise OptionError(f"--timeout must be a number of seconds above 0, not {args.timeout:g}")
    queries = _queries(args.topics)
    engines = _endpoints(args)
    make_folder(args.written_into)
    failed, runs = False, []
    for engine in engines:
        path = Path(args.written_into) / f"{engine.name}.jsonl"
        failures, hits, partial = list[str](), 0, 0
        shown = output.progress(f"asking {engine.name}", shown=not args.quiet)
        with shown as progress, writing(path) as file:
            for number, answer in enumerate(answers(engine, queries, args.at_once, args.run_columns), 1):
                file.write(answer.line.encode())
                hits, partial = hits + answer.hits, partial + answer.is_partial
                failures += [f"topic {answer.topic}: {answer.error}"] * bool(answer.error)
                if len(failures) > MAX_FAILURES:
                    raise InputError(
                        f"more than {MAX_FAILURES} queries fail; {failures[-1]}", path=engine.place
                    )
                if progress:
                    progress(number, len(queries))
        for failure in failures:
            output.print_message(f"{engine.name}, {failure}")
        if partial:
            note = f"{engine.name}: {counted(partial, 'response')} of some shards alone, or cut short"
            output.print_notes("note", [note], quiet=args.quiet)
        responses = counted(len(queries) - len(failures), "response")
        print(printable(f"{path}: {responses}, {counted(hits, 'hit')}"))
        failed |= bool(failures)
        runs.append(f"{engine.name}={path}")
    columns = ",".join(f"{role}={path}" for role, path in (args.run_columns or {}).items())
    reading = ["--run-columns", columns] if columns else []
    print(printable(shlex.join(["rankgauge", "explore", *runs, "--topics", args.topics, *reading])))
    return int(failed)


def _queries(path: str) -> dict[str, str]:
    texts = Texts.open(path).get_many(topic_ids(path))
    queries = {topic: text.title or text.body for topic, text in texts.items()}
    if empty := [topic for topic, query in queries.items() if not query.strip()]:
        raise InputError(f"topic {empty[0]} has no text to search for", path=path)
    return queries


def _endpoints(args: argparse.Namespace) -> list[Endpoint]:
    urls: dict[str, str] = {}
    for engine in args.engines:
        name, _, url = engine.partition("=")
        if not re.fullmatch(r"[\w.-]+", name) or name in urls:
            raise OptionError(f"expected NAME=URL, and another name for each engine, such as old={EXAMPLE}")
        urls[name] = url
    bodies: dict[str, Any] = {}
    for given in args.body:
        names, file = _of_engine(given, urls)
        bodies |= dict.fromkeys(names, _json(file))
    headers: dict[str, dict[str, str]] = {name: {} for name in urls}
    for given in args.header:
        names, header = _of_engine(given, urls)
        title, _, variable = header.partition("=")
        value = os.environ.get(variable, "").strip()
        is_line = value and value.isascii() and value.isprintable()
        if not (is_line and re.fullmatch(r"[A-Za-z0-9-]+", title)):
            raise OptionError(  # without what was given, which may be the value itself
                "--header takes HEADER=VARIABLE, such as Authorization=API_KEY: the name of an environment "
                f"variable, which is set to a line of ASCII text; that of {title!r} is not"
            )
        for name in names:
            headers[name][title] = value
    return [Endpoint(name, url, bodies.get(name), headers[name], args.timeout) for name, url in urls.items()]


def _of_engine(given: str, urls: dict[str, str]) -> tuple[list[str], str]:
    """(names of engines, what is given for them)."""
    name, _, value = given.partition("=")
    return ([name], value) if name in urls and value else ([*urls], given)


def _json(path: str) -> Any:
    try:
        return json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"is no JSON: {error}", path=path) from None
