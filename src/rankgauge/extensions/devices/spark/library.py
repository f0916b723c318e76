"""PySpark, imported when it is needed."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems
from rankgauge.schema.lazy import optional_module

# Variables under which there may be a configuration with another master than this machine.
CONFIGURED = ("MASTER", "PYSPARK_SUBMIT_ARGS", "SPARK_CONF_DIR", "SPARK_HOME")
JOINS_PARTITIONS = "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning"


def functions() -> Any:
    """`pyspark.sql.functions`, or an error that tells how to install what is missing."""
    for library in ("pandas", "pyspark"):  # PySpark passes Arrow to Python only if pandas is installed
        optional_module(library, "evaluation on Spark", "spark")
    # Workers on this machine must use the same Python, with the same packages.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import functions

    return functions


def session(master: str | None = None) -> Any:
    """The active Spark session, or a new one at this master.

    By default the master of Spark's configuration (spark.master, $MASTER), or this machine.
    """
    functions()
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        running = _master(active)
        if master not in (None, running):
            raise OptionError(f"a Spark session is running at {running!r}; stop it before one at {master!r}")
        return active
    warnings.filterwarnings("ignore", "PySpark does not yet fully support pandas", FutureWarning)
    configured = any(os.environ.get(name) for name in CONFIGURED)
    if master.startswith("local") if master is not None else not configured:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    progress = "true" if sys.stderr.isatty() else "false"
    builder = SparkSession.builder.appName("rankgauge").config("spark.ui.enabled", "false")
    builder = builder.config("spark.ui.showConsoleProgress", progress)
    if master is not None:
        builder = builder.master(master)
    if "SPARK_LOG_LEVEL" not in os.environ:  # rankgauge reports what goes wrong, once
        builder = builder.config("spark.log.level", "ERROR")
    try:
        return builder.getOrCreate()
    except Exception as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"Spark does not start ({reason}); it needs Java 17 or later and a reachable master"
        ) from None


def _master(spark: Any) -> Any:
    """The master of a session; Spark Connect tells none, and has no access to files."""
    try:
        return spark.sparkContext.master
    except Exception:
        raise OptionError(
            "a session of Spark Connect is running, and paths need a session with Java; read the runs with "
            "it, and pass the DataFrame"
        ) from None


def persisted(frame: Any) -> Any:
    """The frame, persisted if the session allows it."""
    try:
        with _joining_partitions(frame.sparkSession):
            return frame.persist()
    except Exception:  # serverless sessions refuse; the frame is then computed again when needed
        return frame


def unpersist(*frames: Any) -> None:
    """Free what Spark holds of these frames."""
    for frame in frames:
        with suppress(Exception):  # it may not have been persisted, or the session has ended
            frame.unpersist()


@contextmanager
def _joining_partitions(spark: Any) -> Iterator[None]:
    """Let Spark join small partitions of persisted frames, as it does elsewhere.

    Otherwise each job on them has 200 tasks, however few rows there are: 20 seconds instead of 2.
    """
    before = None
    with suppress(Exception):  # a session whose settings are fixed
        before = spark.conf.get(JOINS_PARTITIONS, None)
        spark.conf.set(JOINS_PARTITIONS, "true")
    try:
        yield
    finally:
        with suppress(Exception):
            spark.conf.unset(JOINS_PARTITIONS) if before is None else spark.conf.set(JOINS_PARTITIONS, before)


def cores(spark: Any) -> int:
    """How many tasks the session runs at once; a guess where it does not say."""
    try:
        return int(spark.sparkContext.defaultParallelism)
    except Exception:  # remote sessions have no context
        return 8


def is_held(frame: Any) -> bool:
    """Whether Spark has the rows already."""
    try:
        level = frame.storageLevel
    except Exception:  # not every session tells
        return False
    return bool(level.useMemory or level.useDisk)


def is_frame(value: Any, package: str = "pyspark.") -> bool:
    """Whether this is a DataFrame of this package of Spark; imports nothing."""
    return any(
        kind.__name__ == "DataFrame" and kind.__module__.startswith(package) for kind in type(value).__mro__
    )


def plain_frame(value: Any) -> Any:
    """A frame of pandas on Spark as a DataFrame without its index; anything else as it is."""
    return value.to_spark() if is_frame(value, "pyspark.pandas.") else value


@contextmanager
def failures() -> Iterator[None]:
    """Turn the failure of a Spark job into an `InputError`, with Spark's error as its cause."""
    from pyspark.errors import PySparkException

    kinds: tuple[type[Exception], ...] = (PySparkException,)
    with suppress(ImportError):  # remote sessions work without py4j
        from py4j.protocol import Py4JError

        kinds = (PySparkException, Py4JError)
    try:
        yield
    except kinds as error:
        if "No module named 'rankgauge'" in _text(error):
            raise InputError(
                "the Spark workers cannot import rankgauge; install it on them, or send it along "
                "(see docs/how-to/spark.md)"
            ) from error
        raise InputError(f"the Spark job failed: {problems.quote(_reason(error), 300)}") from error


def _text(error: Exception) -> str:
    with suppress(Exception):
        return str(error)
    return f"{type(error).__name__}, and Java does not answer"


def _reason(error: Exception) -> str:
    """The line of Spark's message that names the cause."""
    every = (line.strip() for line in _text(error).splitlines())
    lines = [line for line in every if line and not line.startswith("SQLSTATE")] or [type(error).__name__]
    if any("Python worker exited unexpectedly" in line for line in lines):
        return "a Python worker has crashed, or was killed; it may have run out of memory"
    if lines[0].startswith("An exception was thrown from the Python worker"):
        return lines[-1]
    if lines[0].startswith("An error occurred while calling"):
        causes = [line for line in lines if line.startswith("Caused by: ") and "[CIRCULAR" not in line]
        return (causes or lines)[-1].removeprefix("Caused by: ")
    return lines[0]
