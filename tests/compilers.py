"""Build the core with the compilers of this machine, warnings as errors, and compare the values.

    python tests/compilers.py             build with each, for other systems as well; run what can run here
    python tests/compilers.py macos       only those with this in their name, such as `zig, x86_64-macos`
    python tests/compilers.py warnings    check the code with each, and build nothing

The compilers are GCC and Clang, the oldest and the newest, Clang also with libc++, and that of the package
ziglang, which compiles for other systems. Builds that run here must evaluate a simulated campaign as the pure
core does, byte for byte, and pass the tests that compare the two cores.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from sanitize import copy_package

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "rankgauge" / "core" / "module.cpp"
# libstdc++ of GCC 12 calls functions that it declares as deprecated, and newer Clangs warn of that.
WARNINGS = "-Wall -Wextra -pedantic -Werror -Wno-deprecated-declarations"
FLAGS = f"-std=c++17 {WARNINGS} -DPy_LIMITED_API=0x030B0000".split()
BUILD = ["-O3", "-g0", "-fPIC", "-fvisibility=hidden", "-ffp-contract=off"]
# The branches for compilers that are neither GCC nor Clang.
PORTABLE = (
    "-stdlib=libc++ -fgnuc-version=0 -U__OPTIMIZE__ -U__SIZEOF_INT128__ -U__SSE2__ -Wno-unknown-attributes"
)
TARGETS = (
    "x86_64-linux-gnu.2.28",
    "aarch64-linux-gnu.2.28",
    "x86_64-linux-musl",
    "aarch64-linux-musl",
    "x86_64-macos",
    "aarch64-macos",
    "x86_64-windows-gnu",
    "aarch64-windows-gnu",
)
HERE = f"{platform.machine()}-linux-gnu.2.28"
WINDOWS = """
#define MS_WIN64
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_WCHAR_T 2
#define ALIGNOF_SIZE_T 8
#define HAVE_PY_SSIZE_T 1
#define PY_SSIZE_T_MAX LLONG_MAX
typedef long long Py_ssize_t;
"""
TESTS = ["tests/core/test_twins_agree.py", "tests/core/test_vectors.py", "tests/core/test_permuting.py"]
FAILED = "FAILED"
CAMPAIGN = ["--topics", "20", "--depth", "300", "--systems", "3", "--ties", "0.1", "--shuffle", "lines"]


def installed() -> dict[str, list[str]]:
    """{version: command} of the oldest and the newest GCC and Clang, and Clang's with libc++."""
    found = {}
    for family, name in (("GCC", "g++"), ("Clang", "clang++")):
        pattern = re.compile(re.escape(name) + r"(-\d+)?")
        paths = map(Path, os.environ["PATH"].split(os.pathsep))
        files = {file.name for path in paths if path.is_dir() for file in path.iterdir()}
        versions = {}
        for command in sorted(filter(pattern.fullmatch, files)):
            # on macOS g++ is Clang
            macros = output(command, "-dM", "-E", "-x", "c++", os.devnull)
            if ("__clang__" in macros) == (family == "Clang"):
                number = "__clang_major__" if family == "Clang" else "__GNUC__"
                versions[int(re.search(rf"{number} (\d+)", macros)[1])] = [command]
        for version in sorted({min(versions), max(versions)} if versions else ()):
            found[f"{family} {version}"] = versions[version]
            for variant, flags in (("libc++", "-stdlib=libc++"), ("no extensions", PORTABLE)):
                command = [*versions[version], *flags.split()]
                if family == "Clang" and compiles([*command, "-include", "charconv"]):
                    found[f"{family} {version}, {variant}"] = command
    return found


def output(*command: str | Path, **environment: str) -> str:
    """What a command prints, if it succeeds."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    return "" if done.returncode else done.stdout


def compiles(command: list[str]) -> bool:
    """Whether a compiler has what it needs for an empty program."""
    empty = [*command, "-std=c++17", "-fsyntax-only", "-x", "c++", os.devnull]
    return subprocess.run(empty, capture_output=True, check=False).returncode == 0


def run(name: str, *command: str | Path, **environment: str) -> bool:
    """Whether a command succeeds; if not, its output is printed."""
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"{name}:\n{done.stdout}{done.stderr}", flush=True)
    return done.returncode == 0


def check_warnings() -> Iterator[list[str]]:
    """Rows of a table: (compiler, whether it compiles without a warning)."""
    include = f"-isystem{sysconfig.get_path('include')}"
    for name, command in installed().items():
        fine = run(name, *command, *FLAGS, include, "-fsyntax-only", SOURCE)
        yield [name, "no warnings" if fine else FAILED]


def build(folder: Path, chosen: str) -> Iterator[list[str]]:
    """Rows of a table: (compiler, whether it builds the core, whether the values are right)."""
    campaign, built = simulated(folder / "campaign"), folder / "core"
    expected = evaluated(campaign, PYTHONPATH=str(ROOT / "src"), RANKGAUGE_PURE="1")
    assert expected, "the pure core gives no values"
    posix, windows = headers(folder / "posix"), headers(folder / "windows", WINDOWS)
    builds = {name: (command, posix) for name, command in installed().items()}
    if find_spec("ziglang"):
        for target in TARGETS:
            command = [sys.executable, "-m", "ziglang", "c++", "-target", target]
            builds[f"zig, {target}"] = command, windows if "windows" in target else posix
    for name, (command, include) in builds.items():
        if chosen not in name:
            continue
        runs = not name.startswith("zig") or HERE in name
        what = [*FLAGS, *BUILD, f"-isystem{include}", SOURCE, "-shared" if runs else "-c", "-o", built]
        if not run(name, *command, *what):
            yield [name, FAILED]
        elif not runs:
            yield [name, "compiled"]
        else:
            package = copy_package(built, folder / "package")
            own = {"PYTHONPATH": str(package), "RANKGAUGE_PURE": ""}
            tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS]
            same = evaluated(campaign, **own) == expected and run(name, *tests, **own)
            yield [name, "compiled", "values equal" if same else FAILED]


def headers(folder: Path, config: str = "") -> Path:
    """A copy of Python's headers with the configuration of this machine, or another one."""
    shutil.copytree(sysconfig.get_path("include"), folder)
    # Debian's refers to one for each processor
    text = config or Path(sysconfig.get_config_h_filename()).read_text("utf-8")
    (folder / "pyconfig.h").write_text(text, "utf-8")
    return folder


def simulated(folder: Path) -> Path:
    """A campaign whose scores have as many digits as a double can need."""
    environment = {"PYTHONPATH": str(ROOT / "src")}
    assert run("simulate", sys.executable, "-m", "rankgauge", "simulate", folder, *CAMPAIGN, **environment)
    for path in folder.glob("runs/*"):
        lines = [line.split() for line in path.read_text("utf-8").splitlines()]
        text = "".join(f"{' '.join(line[:4])} {float(line[4]) / 3!r} {line[5]}\n" for line in lines)
        path.write_text(text, "utf-8")
    return folder


def evaluated(campaign: Path, **environment: str) -> str:
    """The values of a campaign, as a command prints them."""
    runs = sorted(campaign.glob("runs/*"))
    command = [sys.executable, "-m", "rankgauge", "evaluate", campaign / "qrels.txt", *runs]
    return output(*command, "-m", "all_trec", "-q", **environment)


if __name__ == "__main__":
    (chosen,) = sys.argv[1:] or [""]
    failed, found = False, False
    with tempfile.TemporaryDirectory() as temporary:
        for row in check_warnings() if chosen == "warnings" else build(Path(temporary), chosen):
            print("  ".join(f"{cell:28}" for cell in row).rstrip(), flush=True)
            failed, found = failed or FAILED in row, True
    sys.exit(failed or not found)
