"""The options for what a campaign asks of runs."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankgauge.cli.inputs import group
from rankgauge.cli.options import whole_number

if TYPE_CHECKING:
    from rankgauge.model.validation import SubmissionRules


def add_submission_rules(parser: argparse.ArgumentParser) -> None:
    """Add the rules for runs; a run that breaks one has a problem."""
    rules = group(parser, "rules of a campaign")
    rules.add_argument(
        "--max-depth",
        type=whole_number(1, "--max-depth"),
        metavar="N",
        help="at most N results per topic",
    )
    rules.add_argument(
        "--tag",
        metavar="PATTERN",
        help="every line has the same tag, and it matches a regular expression, such as '[a-z0-9]{1,12}'",
    )
    rules.add_argument(
        "--topics",
        metavar="FILE",
        help="results for all topics of a file, and for no others: ids, one per line, or a file of queries",
    )


def chosen_submission_rules(args: argparse.Namespace) -> SubmissionRules:
    """The rules of `add_submission_rules`."""
    from rankgauge.formats.texts import topic_ids
    from rankgauge.model.validation import SubmissionRules

    return SubmissionRules(
        max_depth=args.max_depth,
        tag=args.tag,
        topics=topic_ids(args.topics) if args.topics else None,
        only_topics=args.topics is not None,
        one_tag=args.tag is not None,
    )
