"""Change one operator or constant of the package at a time, and see whether a test fails.

    python tests/mutants.py                                 a random sample of 100 changes
    python tests/mutants.py --module comparison/gate        of one module or folder
    python tests/mutants.py --count 1000 --seed 7 -j 8      a larger sample, another one, more processes

Each mutant is the package with one expression changed, on which the tests of its module run. One that
survives, since no test fails, is a value that could change unseen: it wants a test or, if it computes the
same, a line in EQUIVALENT.
"""

import argparse
import ast
import copy
import importlib.util
import queue
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from without_extensions import ROOT, SRC, copy_without

PAIRS = "golden comparison/test_agreement.py comparison/procedures"
LAWS = "laws/test_value_laws.py laws/test_back_end_laws.py"
# The tests of a module or of a folder, the most telling first; the first name that fits counts.
TESTS = {
    "comparison/gate": "comparison/test_gate.py comparison/test_margin.py cli/test_compare.py",
    "comparison/procedures": f"{PAIRS} comparison",
    "comparison": "comparison golden cli/test_compare.py",
    "numbers": f"numbers {PAIRS} comparison",
    "measures": f"golden twins {LAWS} measures",
    "core/pure": "core",
}
OPERATORS = {
    **{ast.Lt: [ast.LtE, ast.GtE], ast.LtE: [ast.Lt, ast.Gt], ast.Gt: [ast.GtE, ast.LtE]},
    **{ast.GtE: [ast.Gt, ast.Lt], ast.Eq: [ast.NotEq], ast.NotEq: [ast.Eq], ast.Is: [ast.IsNot]},
    **{ast.IsNot: [ast.Is], ast.In: [ast.NotIn], ast.NotIn: [ast.In], ast.And: [ast.Or], ast.Or: [ast.And]},
    **{ast.Add: [ast.Sub], ast.Sub: [ast.Add], ast.Mult: [ast.Div], ast.Div: [ast.Mult], ast.Pow: [ast.Mult]},
    **{ast.FloorDiv: [ast.Div], ast.Mod: [ast.FloorDiv], ast.BitAnd: [ast.BitOr], ast.BitOr: [ast.BitAnd]},
}
NAMES = {
    "min": "max",
    "minimum": "maximum",
    "fmin": "fmax",
    "argmin": "argmax",
    "any": "all",
    "floor": "ceil",
}
NAMES |= {new: old for old, new in NAMES.items()}
DIGITS = 3  # that `round` keeps in a mutant
# (how the name of a mutant begins, what it contains, why it computes the same)
EQUIVALENT = [
    ('comparison/gate: return ""', "return '' -> return None", "`failures` filters either"),
    ("comparison/gate: if not found or", "/ (compared.direction or 1)", "a direction is 1 or -1"),
    ("measures/usermodels: enough = 1", ": 1 -> 0", "the term that is left out is multiplied by 0"),
    ("measures/rankings/discounts: return self.one(rank) if", ": 1 -> 2", "a table may be longer"),
    ("numbers/tau_test: into +=", "-> into -=", "all numbers of ways change their sign equally often"),
    ("numbers/bootstrap: lower =", "-> np.minimum(", "more samples are summed exactly"),
]


@dataclass
class Mutant:
    """A module with one expression changed."""

    name: str  # the module, the line, and how an expression in it is changed
    module: str
    number: int  # of the line
    tree: ast.Module
    place: tuple[Any, Any]  # the list or the fields that hold the expression, and where
    node: ast.AST

    def source(self):
        """The text of the module; its tree stays as it is."""
        holder, key = self.place
        kept, holder[key] = holder[key], self.node
        text = ast.unparse(self.tree)
        holder[key] = kept
        return text


def variants(node):
    """The expressions to put in place of one."""

    def with_(**fields):
        changed = copy.copy(node)
        vars(changed).update(fields)
        return changed

    match node:
        case ast.Compare(ops=[op, *more]):
            return [with_(ops=[new(), *more]) for new in OPERATORS[type(op)]]
        case ast.BinOp(op=op) | ast.BoolOp(op=op) | ast.AugAssign(op=op):
            return [with_(op=new()) for new in OPERATORS.get(type(op), [])]
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            return [operand]
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return [with_(value=value + 1), with_(value=value - 1)]
        case ast.Call(func=ast.Name(id=name)) if name in NAMES:
            return [with_(func=ast.Name(NAMES[name]))]
        case ast.Call(func=ast.Attribute(value=of, attr=name)) if name in NAMES:
            return [with_(func=ast.Attribute(of, NAMES[name]))]
        case ast.Call(func=ast.Name(id="round") | ast.Attribute(attr="round"), args=[value, _]):
            return [with_(args=[value, ast.Constant(DIGITS)])]
        case ast.IfExp(body=body, orelse=orelse):
            return [with_(body=orelse, orelse=body)]
        case ast.Return(value=ast.expr()):
            return [with_(value=ast.Constant(None))]
    return []


def places(node):
    """(holder, key, node) of everything in a tree that computes: no annotations, no messages."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        holder, keys = (value, range(len(value))) if isinstance(value, list) else (vars(node), [field])
        for key in keys:
            child = holder[key]
            typing = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
            if isinstance(child, ast.AST) and not typing and not isinstance(child, ast.JoinedStr | ast.Raise):
                yield holder, key, child
                yield from places(child)


def mutants(module):
    """The mutants of a module."""
    text = (SRC / f"{module}.py").read_text("utf-8")
    tree, lines = ast.parse(text), text.splitlines()
    for holder, key, node in places(tree):
        for changed in variants(node):
            line = lines[node.lineno - 1].strip()
            name = f"{module}: {line}: {ast.unparse(node)} -> {ast.unparse(changed)}"
            if not any(name.startswith(begin) and change in name for begin, change, _ in EQUIVALENT):
                yield Mutant(name, module, node.lineno, tree, (holder, key), changed)


def tests_of(module):
    """The tests to run for a module; None where it has no mutants."""
    return next((tests for name, tests in TESTS.items() if f"{module}/".startswith(f"{name}/")), None)


def outcome(tests, environment, limit=None):
    """ "survived" if all tests pass, "killed" if one fails, "timed out" beyond a limit in seconds."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider"]
    try:
        ran = subprocess.run(
            [*command, *(f"tests/{each}" for each in dict.fromkeys(tests.split()))],
            **{"cwd": ROOT, "env": environment, "timeout": limit, "check": False, "capture_output": True},
        )
    except subprocess.TimeoutExpired:
        return "timed out"
    return "killed" if ran.returncode else "survived"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--module", action="append", metavar="NAME", help="comparison/gate, numbers; repeatable"
    )
    parser.add_argument("--count", type=int, default=100, help="mutants to try (100)")
    parser.add_argument("--seed", type=int, default=0, help="of the sample (0)")
    parser.add_argument("-j", "--jobs", type=int, default=2, help="tests to run at once (2)")
    options = parser.parse_args()
    modules = [path.relative_to(SRC).with_suffix("").as_posix() for path in sorted(SRC.rglob("*.py"))]
    chosen = [f"{name.rstrip('/')}/" for name in options.module or TESTS]
    modules = [name for name in modules if tests_of(name) and f"{name}/".startswith(tuple(chosen))]
    everything = [mutant for module in modules for mutant in mutants(module)]
    sample = random.Random(options.seed).sample(everything, min(options.count, len(everything)))
    print(f"{len(sample)} of {len(everything)} mutants of {len(modules)} modules", flush=True)

    with ExitStack() as stack:
        copies = queue.SimpleQueue()
        for _ in range(options.jobs):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            copies.put((folder, copy_without([], folder)))
        pool = stack.enter_context(ThreadPoolExecutor(options.jobs))

        def seconds(tests):
            folder, environment = copies.get()
            began = time.monotonic()
            if outcome(tests, environment) != "survived":
                sys.exit(f"tests fail without a mutant: {tests}")
            copies.put((folder, environment))
            return time.monotonic() - began

        groups = list(dict.fromkeys(tests_of(mutant.module) for mutant in sample))
        limit = {
            tests: 3 * taken + 20 for tests, taken in zip(groups, pool.map(seconds, groups), strict=True)
        }

        def tried(mutant, source):
            folder, environment = copies.get()
            path = folder / "rankgauge" / f"{mutant.module}.py"
            original, tests = path.read_bytes(), tests_of(mutant.module)
            path.write_text(source, "utf-8")
            # Python recognises a changed file by its size and second.
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
            found = outcome(tests, environment, limit[tests])
            path.write_bytes(original)
            Path(importlib.util.cache_from_source(path)).unlink(missing_ok=True)
            copies.put((folder, environment))
            return found

        counts = {module: Counter() for module in modules}
        running = {pool.submit(tried, mutant, mutant.source()): mutant for mutant in sample}
        for number, done in enumerate(as_completed(running), 1):
            mutant, found = running[done], done.result()
            counts[mutant.module][found] += 1
            print(f"{number:4} {found:9} line {mutant.number} of {mutant.name}", flush=True)
    print()
    for module, count in [*counts.items(), ("all", sum(counts.values(), Counter()))]:
        if count:
            print(f"{module:45}", ", ".join(f"{number} {name}" for name, number in sorted(count.items())))


if __name__ == "__main__":
    main()
