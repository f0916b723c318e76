import json
import os
import re
import subprocess
import sys

import pytest

import installed
from rankgauge import __version__, core
from rankgauge.cli.completion import SHELLS
from rankgauge.cli.main import main
from rankgauge.cli.parser import COMMANDS, command_parser, parser, summary
from rankgauge.errors import InputError

PYTHON = ".".join(map(str, sys.version_info[:3]))
HEAVY = ("numpy", "pyarrow", "pandas", "polars", "shtab", "altair")


def command(*argv, code="", **options):
    """The finished process of `rankgauge argv`, with some code run before it."""
    script = f"import sys\n{code}\nfrom rankgauge.cli.main import main\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", script, *argv],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )


def fail_with(monkeypatch, error):
    """Have the measures command raise an error."""

    def run(args):
        raise error

    run.__module__ = "rankgauge.cli.measures"  # an error of another package would name that
    monkeypatch.setattr("rankgauge.cli.measures.run", run)


@pytest.mark.parametrize("argv", ["measures", "measures nDCG", "evaluate --help", "trec_eval -h"])
def test_light_commands_import_nothing_heavy(argv):
    loaded = f"[m for m in sys.modules if m in {HEAVY}]"
    code = f"import atexit, sys; atexit.register(lambda: print({loaded}, file=sys.stderr))"
    done = command(*argv.split(), code=code)
    assert done.returncode == 0
    assert done.stdout
    assert done.stderr.strip() == "[]"


def test_help_lists_every_command_with_examples_and_exit_codes(invoke):
    said = invoke("--help").out
    for name in COMMANDS:
        assert f"{name} " in said
        assert summary(name) in said
    assert "For example" in said
    assert "exit codes: 0 success, 1 a check failed, 2 invalid input or usage" in said
    assert len(said.splitlines()) < 30 + len(COMMANDS)  # a screen, and no essay
    assert "None" not in said


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_with_examples(name, invoke):
    assert f"rankgauge {name}" in invoke(name, "--help").out.split("usage:")[1].split("\n", 1)[1]


def test_version_says_which_core_and_python_are_in_use(invoke):
    assert invoke("--version").out == f"rankgauge {__version__} ({core.NAME} core, Python {PYTHON})\n"


# What every command imports, and what only help does.
SCHEMA = {".schema", ".schema.extensions", ".schema.frozen", ".schema.lazy"}
FIRST = {"", "._version", ".errors", ".cli", ".cli.main", ".cli.output", *SCHEMA}
COMMAND_LINE = {".cli.parser", ".extensions", ".schema.registry", ".schema.text"}
OWN = {"--version": FIRST | {".core", ".core._compiled"}, "--help": FIRST | COMMAND_LINE}
# What Python has, and these do without.
SLOW = {"--version": ("argparse", "numpy"), "--help": ("numpy",)}


@pytest.mark.skipif(core.NAME == "pure", reason="the pure core takes re and typing itself")
@pytest.mark.parametrize("option", OWN)
def test_version_and_help_import_next_to_nothing(option):
    # -S: site may import such modules for packages that are installed in development mode
    program = f"import sys\nfrom rankgauge.cli.main import main\nmain(['{option}'])\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    *printed, modules = done.stdout.splitlines()
    assert printed
    loaded = modules.split()
    own = {name.removeprefix("rankgauge") for name in loaded if name.split(".")[0] == "rankgauge"}
    assert own == OWN[option]
    assert not {*SLOW[option]} & {*loaded}


def test_no_command_is_a_usage_error_with_the_help_on_stderr(invoke):
    assert "COMMAND --help" in invoke(code=2).err


@pytest.mark.parametrize(
    "argv",
    installed.rows(
        [
            ["evaluate", "QRELS", "A", "-m", "AP", "B"],
            ["compare", "QRELS", "A", "--test", "t", "B", "--view", "pairs"],
            ["study", "stability", "QRELS", "--seed", "7", "A", "-m", "AP", "B"],
            ["agreement", "QRELS", "--rel", "1", "QRELS", "A", "-m", "AP", "B"],
            ["pool", "A", "--depth", "1", "B"],
        ]
    ),
)
def test_options_may_stand_between_files(argv, write, invoke):
    files = {
        "QRELS": write("qrels.txt", "".join(f"q{n} 0 d{n} 1\nq{n} 0 d0 0\n" for n in (1, 2, 3))),
        "A": write("a.run", "".join(f"q{n} Q0 d{n} 1 2 a\n" for n in (1, 2, 3))),
        "B": write("b.run", "".join(f"q{n} Q0 d0 1 2 b\n" for n in (1, 2, 3))),
    }
    given = [str(files.get(word, word)) for word in argv]
    options = [n for n, word in enumerate(argv) if word.startswith("-")]
    moved = [given[n] for n in range(len(given)) if n not in options and n - 1 not in options]
    moved += [given[n + step] for n in options for step in (0, 1)]
    expected = invoke(*moved).out
    assert "b" in expected
    assert invoke(*given).out == expected


@pytest.mark.parametrize(
    ("argv", "command", "option"),
    installed.rows(
        [
            (["compare", "q", "a", "--tset", "t", "b"], "compare", "--tset"),
            (["study", "power", "q", "a", "--tset", "t"], "study power", "--tset"),
            (["explain", "q", "a", "--tpoic", "1"], "explain", "--tpoic"),
            (["evaluate", "q", "a", "--quite"], "evaluate", "--quite (did you mean --quiet?)"),
        ]
    ),
)
def test_what_a_command_does_not_know_is_an_error_of_that_command(argv, command, option, invoke):
    said = invoke(*argv, code=2).err
    assert said.startswith(f"usage: rankgauge {command} QRELS RUN")
    assert f"rankgauge {command}: error: unrecognized arguments: {option}" in said


def test_an_unknown_command_gives_the_nearest(refused):
    assert refused("evalute").startswith(
        "rankgauge: no command named 'evalute' (did you mean evaluate?); use one of evaluate, compare, "
    )


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (InputError("odd \x1b[31m bytes", path="a.run", line=3), 2, "a.run:3: odd \\x1b[31m bytes"),
        (PermissionError(13, "Permission denied", "secret.run"), 2, "secret.run: Permission denied"),
        (MemoryError("2.62 TiB"), 2, "not enough memory: 2.62 TiB"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
)
def test_an_error_is_one_line_with_its_exit_code(monkeypatch, invoke, error, code, message):
    fail_with(monkeypatch, error)
    assert invoke("measures", code=code).err == f"rankgauge: {message}\n"


@pytest.mark.parametrize("debug", ["0", "1"])
def test_a_bug_asks_for_a_report_and_shows_its_traceback_when_asked(debug, monkeypatch, capsys):
    monkeypatch.setenv("RANKGAUGE_DEBUG", debug)
    fail_with(monkeypatch, KeyError("x"))
    assert main(["measures"]) == 70
    said = capsys.readouterr().err
    assert "rankgauge: unexpected KeyError: 'x'; this is a bug in rankgauge, please report it" in said
    assert ("Traceback" in said) == (debug == "1")


def test_output_in_a_poor_encoding_is_escaped_and_not_refused():
    done = command("measures", "AP", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert "\\u03a3" in done.stdout  # the sum sign of its formula


def test_measures_are_listed_as_json(invoke):
    records = {record["name"]: record for record in json.loads(invoke("measures", "--format", "json").out)}
    assert records["CG"]["bounds"] == [0, None]
    assert records["AP"]["parameters"][0]["name"] == "norm"
    assert all(record["title"] and record["help"] and record["cite"] for record in records.values())


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("ndcg_cut_10", ["nDCG[k] = DCG[k] / DCG_ideal[k]", "gains=linear", "Järvelin"]),
        ("success", ["ranx          hit_rate\n", "also          Hit, HR\n"]),
        # which cannot be computed without a recall level
        (
            "IPrec",
            ["cutoff        IPrec@recall\n", "  recall=                 the recall level; a number from"],
        ),
    ],
)
def test_a_measure_is_described(name, parts, invoke):
    said = invoke("measures", name).out
    assert all(part in said for part in parts)


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_knows_commands_measures_and_rules_in_every_shell(shell, invoke):
    script = invoke("--completion", shell).out
    assert all(name in script for name in (*COMMANDS, "alpha_nDCG", "RecoveryRatio", "ndcg_cut", "docid_asc"))


@pytest.mark.skipif(os.name == "nt", reason="needs bash")
def test_the_bash_completion_is_valid_and_knows_options_studies_and_experiments(invoke):
    script = invoke("--completion", "bash").out
    subprocess.run(["bash", "-n"], input=script, text=True, check=True, timeout=60)
    assert "--per-topic" in script
    for command, part in {"study": "--alphas", "reproduce": "_pos_0_choices=(twist cumulated-gain"}.items():
        assert command not in COMMANDS or part in script


def test_only_the_chosen_command_is_imported():
    done = command(
        "measures",
        code="import atexit; atexit.register(lambda: print('rankgauge.cli.evaluate' in sys.modules))",
    )
    assert done.stdout.splitlines()[-1] == "False"
    assert parser(()).parse_args(["evaluate"]).command == "evaluate"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen_and_with_all_describes_every_option(name, invoke, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    short, whole = invoke(name, "--help").out, invoke(name, "--help", "--all").out
    assert len(short.splitlines()) <= 70
    assert whole == command_parser(name).format_help()
    if "more options" in short:
        assert f"more options (`rankgauge {name} --help --all`):" in short
        for action in command_parser(name)._actions:
            assert not action.option_strings or any(text in short for text in action.option_strings)


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", COMMANDS)
def test_short_help_hides_nothing_one_needs_and_is_as_wide_as_the_terminal(name, width, invoke, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    short, whole = invoke(name, "--help").out, invoke(name, "--help", "--all").out
    above = short.partition("more options (")[0]
    described = " ".join(above.split())
    for action in command_parser(name)._actions:
        if action.required or (action.option_strings and action.dest in ("output", "format")):
            place = action.option_strings[0] if action.option_strings else action.metavar or action.dest
            assert re.search(rf"^  {re.escape(place)}\b", short, re.M) or action.dest == place, place
        names = "|".join(map(re.escape, action.option_strings))
        if names and action.choices and re.search(rf"^  ({names})\b", above, re.M):
            assert all(str(each) in described for each in action.choices), action.option_strings
    assert not short.endswith("):\n")
    assert "below" not in re.findall(r"see (\w+)", whole)
    for line in (short + whole).splitlines():
        assert len(line) <= width or " " not in line.strip(" \\"), line


def test_the_list_of_commands_is_in_groups(invoke):
    shown = invoke("--help").out
    heads = re.findall(r"^(\w+):\n  (\w+)", shown, re.M)
    firsts = [("score", "evaluate"), ("compare", "compare"), ("look", "explore"), ("judge", "pool")]
    assert heads[:5] == [*firsts, ("files", "validate")]
    assert "\nmore:" not in shown
    assert [len(re.findall(rf"^  {name} ", shown, re.M)) for name in COMMANDS] == [1] * len(COMMANDS)
