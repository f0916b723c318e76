"""Run tests on builds of the compiled core with the compiler's sanitizers.

    python tests/sanitize.py                                address and undefined behaviour, then threads
    python tests/sanitize.py thread tests/core -k fuzz      one build, and arguments for pytest

The package is copied to build/sanitized, with a core that is compiled there. Python itself is not
instrumented, so the runtime of the sanitizer is loaded before it (LD_PRELOAD, which processes started by
tests inherit), and objects have memory of their own (PYTHONMALLOC). Linux and GCC are needed; $CXX names
another compiler.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[1]
FLAGS = ["-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", "-shared", "-fPIC"]
TESTS = ["tests/core", "tests/formats", "tests/evaluation", "tests/engines/test_large_runs.py"]
# The first has sanitizers of its own; polars, which the others import, crashes under that for threads.
LEFT_OUT = {
    "address": ["tests/core/test_sanitizers.py"],
    "thread": [
        "tests/core/test_sanitizers.py",
        "tests/formats/test_frames.py",
        "tests/formats/test_objects.py",
        "tests/evaluation/test_inputs.py",
    ],
}
KNOWN_RACES = ROOT / "tests" / "known_races.txt"
MEMORY = "allocator_may_return_null=1"  # as a damaged file may ask for more than there is
# {build: (sanitizers, their runtime, their options)}; what Python holds until its end is no leak
BUILDS = {
    "address": (
        "address,undefined",
        "libasan.so",
        {
            "ASAN_OPTIONS": f"detect_leaks=0:{MEMORY}",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    ),
    "thread": (
        "thread",
        "libtsan.so",
        {"TSAN_OPTIONS": f"halt_on_error=1:exitcode=66:{MEMORY}:suppressions={KNOWN_RACES}"},
    ),
}


def build(name: str) -> Path:
    """A folder with the package and a core compiled with these sanitizers."""
    folder = ROOT / "build" / "sanitized" / name
    core, suffix = ROOT / "src" / "rankgauge" / "core", sysconfig.get_config_var("EXT_SUFFIX")
    built = folder.with_suffix(suffix)
    changed = max(source.stat().st_mtime for source in core.glob("*.?pp"))
    if not built.exists() or built.stat().st_mtime < changed:
        folder.parent.mkdir(parents=True, exist_ok=True)
        what = [
            f"-fsanitize={BUILDS[name][0]}",
            f"-I{sysconfig.get_path('include')}",
            str(core / "module.cpp"),
        ]
        subprocess.run([compiler(), *FLAGS, *what, "-o", str(built)], check=True)
    return copy_package(built, folder)


def copy_package(core: Path, folder: Path) -> Path:
    """Copy the package to a folder, with this compiled core."""
    shutil.rmtree(folder, ignore_errors=True)
    leave_out = shutil.ignore_patterns("__pycache__", "_compiled*")
    shutil.copytree(ROOT / "src" / "rankgauge", folder / "rankgauge", ignore=leave_out)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    shutil.copy(core, folder / "rankgauge" / "core" / f"_compiled{suffix}")
    return folder


def compiler() -> str:
    """The compiler to use."""
    return os.environ.get("CXX", "g++")


def library(name: str) -> str:
    """The path of one of the compiler's libraries."""
    command = [compiler(), f"-print-file-name={name}"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test(name: str, arguments: list[str]) -> int:
    """The exit status of pytest on a build."""
    folder, (_, runtime, options) = build(name), BUILDS[name]
    environment = {
        **os.environ,
        **options,
        # Python is no C++: the sanitizer would not find the functions that throw exceptions.
        "LD_PRELOAD": f"{library(runtime)} {library('libstdc++.so')}",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": str(folder),
        "RANKGAUGE_PURE": "",
    }
    where = [sys.executable, "-c", "from rankgauge.core import _compiled; print(_compiled.__file__)"]
    found = subprocess.run(where, env=environment, capture_output=True, text=True, check=True).stdout
    assert found.startswith(str(folder)), f"tests would use {found}"
    print(f"{name}: {found}", end="", flush=True)
    # What the sanitizer writes before it ends the process must not be lost in pytest's files.
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--capture=sys"]
    command = [*pytest, *(f"--ignore={path}" for path in LEFT_OUT[name]), *(arguments or TESTS)]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    given = sys.argv[1:]
    names = [given.pop(0)] if given and given[0] in BUILDS else list(BUILDS)
    failed = [name for name in names if test(name, given) != 0]
    sys.exit(f"tests failed on {' and '.join(failed)}" if failed else 0)
