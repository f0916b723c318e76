"""The entrants of a workload, and how each is started."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO

from measure import Command, Entrant, Means, Worker, available_memory
from memory import FORMS
from peers import MEASURE_SETS, MEASURES
from workloads import COMMAND, Files, Workload

HERE = Path(__file__).parent
NUMPY = "python -c 'import numpy'"
PYTHON = "python -c pass"
VERSION, HELP = "rankgauge --version", "rankgauge --help"
WC = "wc -l"
TREC_EVAL = "trec_eval"
OF_TREC_EVAL = dict(zip(MEASURES, ("ndcg_cut.10", "map", "recip_rank", "P.10", "recall.1000"), strict=True))
COMPAT = "rankgauge.compat"
CHANGE_START_UP = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")  # left out of the environment
PYARROW = "pyarrow, decoding alone"
PURE_FORMS = ("dict", "fixed float64")


def slow(workload: Workload) -> tuple[str, ...]:
    """The peers that take minutes or more than 20 GB; they run only with --full, and only once."""
    if workload.measures == "novelty":
        return ("pytrec_eval", "ranx")  # which do not support these measures
    if workload.measures in ("table", "official"):
        return ("ir_measures", "ranx")  # which do not support all of them
    if workload.heavy:
        return ("ir_measures", "ranx")
    return ("ranx",) if workload.in_memory and not workload.calls else ()


def entrants(workload: Workload, files: Files, peers: list[str]) -> list[Entrant]:
    """All entrants, rankgauge first."""
    if workload.parquet:
        return _on_parquet(workload, files)
    return (_in_memory if workload.in_memory else _on_files)(workload, files, peers)


def _on_files(workload: Workload, files: Files, peers: list[str]) -> list[Entrant]:
    paths = [str(files.qrels), *map(str, files.runs)]
    evaluate = [*COMMAND, "evaluate", *paths, "-q", "--quiet", "--format", "tsv", "--places", "6"]
    evaluate += ["-m", " ".join(MEASURE_SETS[workload.measures])]
    participants = [
        Entrant("rankgauge", Command(evaluate, environment())),
        Entrant("rankgauge pure", Command(evaluate, environment(pure=True)), once=workload.heavy),
    ]
    participants += (
        Entrant(name, Command(argv, environment(), read=lambda _: {}))
        for name, argv in _floors(workload, files).items()
    )
    memory = available_memory()
    program = os.environ.get("TREC_EVAL")
    if program and workload.runs == 1 and workload.measures == "five":
        argv = [program, "-q", *(word for name in OF_TREC_EVAL.values() for word in ("-m", name)), *paths]
        command = Command(argv, environment(), memory, _of_trec_eval(files.runs[0].stem))
        participants.append(Entrant(TREC_EVAL, command, peer=True, once=workload.heavy))
    for name in peers:
        argv = [sys.executable, str(HERE / "peers.py"), name, workload.measures, *paths]
        command = Command(argv, environment(), memory)
        participants.append(Entrant(name, command, peer=True, once=workload.heavy))
    return participants


def _floors(workload: Workload, files: Files) -> dict[str, list[str]]:
    """{what evaluates nothing, and shows what a command takes at least: its command line}."""
    if workload.name == "W1":
        return {
            NUMPY: [sys.executable, "-c", "import numpy"],
            PYTHON: [sys.executable, "-c", "pass"],
            VERSION: [*COMMAND, "--version"],
            HELP: [*COMMAND, "--help"],
        }
    return {WC: ["wc", "-l", *map(str, files.runs)]} if workload.name == "W3" else {}


def _of_trec_eval(run: str) -> Callable[[IO[str]], Means]:
    """The means in trec_eval's lines of measure, topic and value."""
    ours = {name.replace(".", "_"): measure for measure, name in OF_TREC_EVAL.items()}

    def read(lines: IO[str]) -> Means:
        rows = (line.split() for line in lines)
        return {f"{run} {ours[name]}": float(value) for name, topic, value in rows if topic == "all"}

    return read


def _on_parquet(workload: Workload, files: Files) -> list[Entrant]:
    """rankgauge, and what it cannot be faster than by much; no peer reads Parquet."""
    run = files.runs[0]

    def worker(tool: str) -> Worker:
        argv = [sys.executable, str(HERE / "parquet.py"), tool, workload.measures, str(files.qrels), str(run)]
        return Worker(argv, environment(), run.stem)

    return [Entrant("rankgauge", worker("rankgauge")), Entrant(PYARROW, worker("pyarrow"))]


def _in_memory(workload: Workload, files: Files, peers: list[str]) -> list[Entrant]:
    run = files.runs[0]

    def worker(tool: str, form: str, pure: bool = False) -> Worker:
        program = [sys.executable, str(HERE / "memory.py"), tool, form, workload.measures]
        return Worker([*program, str(files.qrels), str(run)], environment(pure), run.stem)

    if workload.calls:
        forms = {name: "values" if name == "pytrec_eval" else "dict" for name in peers}
        return [
            Entrant(COMPAT, worker("rankgauge", "values")),
            Entrant("rankgauge.compat pure", worker("rankgauge", "values", pure=True)),
            Entrant("rankgauge, dict", worker("rankgauge", "dict")),
            *(Entrant(name, worker(name, form), peer=True) for name, form in forms.items()),
        ]
    return [
        *(Entrant(f"rankgauge, {form}", worker("rankgauge", form)) for form in FORMS),
        *(Entrant(f"rankgauge pure, {form}", worker("rankgauge", form, pure=True)) for form in PURE_FORMS),
        *(
            Entrant(f"{name}, dict", worker(name, "dict"), peer=True, once=name in slow(workload))
            for name in peers
        ),
    ]


def installed(names: list[str]) -> list[str]:
    """The peers that are installed."""
    return [name for name in names if importlib.util.find_spec(name)]


def environment(pure: bool = False) -> dict[str, str]:
    """The environment of an entrant, with the compiled core or its twin, in which bytecode is kept."""
    others = {
        n: text for n, text in os.environ.items() if n not in ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")
    }
    return {**others, "RANKGAUGE_PURE": "1" if pure else "0"}
