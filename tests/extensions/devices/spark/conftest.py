"""One Spark session for all tests that need one."""

import os
import shutil

import pytest

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # for Java that is over before it is worth optimising
MARKS = (
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
)


@pytest.hookimpl(tryfirst=True)  # before tests are selected by their marks
def pytest_collection_modifyitems(items):
    for item in items:
        if {"spark", "cluster"} & set(getattr(item, "fixturenames", ())):
            for mark in MARKS:
                item.add_marker(mark)


def needs_java():
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'rankgauge[spark]'")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("there is no Java: evaluation on Spark is not tested")
    if os.environ.get("RANKGAUGE_PURE", "0") not in ("", "0"):
        pytest.skip("Spark is tested once, with the compiled core; its worker's part is tested with both")
    os.environ.setdefault("JDK_JAVA_OPTIONS", QUICK)


@pytest.fixture(scope="session")
def spark():
    needs_java()
    from rankgauge.extensions.devices.spark.library import session

    found = session("local[2]")
    found.conf.set("spark.sql.shuffle.partitions", "3")
    found.conf.set("spark.sql.codegen.wholeStage", "false")  # compiling a query takes longer than these rows
    found.conf.set("spark.sql.codegen.factoryMode", "NO_CODEGEN")
    yield found
    found.stop()


@pytest.fixture
def cluster(tmp_path):
    """(URL of a master, its three workers): processes of their own on this machine."""
    needs_java()
    import signal
    import socket
    import subprocess

    from pyspark.find_spark_home import _find_spark_home

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    home = _find_spark_home()
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}

    def start(*words):
        with (tmp_path / "cluster.log").open("ab") as log:
            command = [f"{home}/bin/spark-class", *words, "--host", "127.0.0.1", "--webui-port", "0"]
            # A session of its own: a worker is killed with the executors that it has started.
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, start_new_session=True)

    url = f"spark://127.0.0.1:{port}"
    started = [start("org.apache.spark.deploy.master.Master", "--port", str(port))]
    for n in range(3):
        folder = str(tmp_path / f"worker{n}")
        sizes = ("--cores", "1", "--memory", "1g", "--work-dir", folder)
        started.append(start("org.apache.spark.deploy.worker.Worker", *sizes, url))
    yield url, started[1:]
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
