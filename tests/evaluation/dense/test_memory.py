"""Free memory, by the accounts of the system, and rows that fit into it."""

import pytest

from rankgauge.evaluation.dense import memory

MB = 1 << 20


@pytest.fixture
def system(tmp_path, monkeypatch):
    """Writes files of a made system; by default 1000 MB are free, and no group has a limit."""

    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    monkeypatch.setattr(memory, "ROOT", tmp_path)
    monkeypatch.setattr(memory, "_of_process", lambda: None)
    write("proc/meminfo", f"MemTotal: 99999999 kB\nMemFree: 1 kB\nMemAvailable: {1000 * 1024} kB\n")
    return write


def test_the_machine(system):
    assert memory.free_memory() == 1000 * MB


def test_a_group_of_the_second_version(system):
    system("proc/self/cgroup", "0::/user/job\n")
    system("sys/fs/cgroup/user/job/memory.max", "max\n")
    system("sys/fs/cgroup/user/job/memory.current", f"{MB}\n")
    assert memory.free_memory() == 1000 * MB
    system("sys/fs/cgroup/user/memory.max", f"{500 * MB}\n")
    system("sys/fs/cgroup/user/memory.current", f"{300 * MB}\n")
    assert memory.free_memory() == 200 * MB
    system("sys/fs/cgroup/user/memory.stat", f"anon 1\ninactive_file {100 * MB}\n")
    assert memory.free_memory() == 300 * MB


def test_a_group_of_the_first_version(system):
    system("proc/self/cgroup", "5:cpu:/other\n3:hugetlb,memory:/job\n0::/\n")
    system("sys/fs/cgroup/memory/job/memory.limit_in_bytes", f"{500 * MB}\n")
    system("sys/fs/cgroup/memory/job/memory.usage_in_bytes", f"{600 * MB}\n")
    assert memory.free_memory() == 0
    system("sys/fs/cgroup/memory/job/memory.stat", f"total_inactive_file {150 * MB}\n")
    assert memory.free_memory() == 50 * MB


def test_a_container_that_sees_the_path_of_its_host(system):
    system("proc/self/cgroup", "0::/docker/0123\n")
    system("sys/fs/cgroup/memory.max", f"{100 * MB}\n")
    system("sys/fs/cgroup/memory.current", f"{10 * MB}\n")
    assert memory.free_memory() == 90 * MB


@pytest.mark.parametrize("text", ["", "MemAvailable: many kB\n", "MemTotal: 5 kB\n"])
def test_a_system_without_such_an_account(system, text):
    system("proc/meminfo", text)
    assert memory.free_memory() > 0


def test_a_limit_of_the_address_space(system, monkeypatch):
    resource = pytest.importorskip("resource")
    monkeypatch.undo()
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1 << 62, 1 << 62))
    most = memory._of_process()
    if most is None:
        pytest.skip("this system does not say what a process uses")
    assert 0 < most < 1 << 62
    monkeypatch.setattr(resource, "getrlimit", lambda _: (MB, MB))
    assert memory.free_memory() == 0


def test_rows_fit_into_a_share(system):
    assert memory.block_rows(MB) == 250
    assert memory.block_rows(MB, most=100) == 100
    assert memory.block_rows(MB, most=1000) == 250


def test_there_is_always_a_row(system):
    system("proc/meminfo", "MemAvailable: 0 kB\n")
    assert memory.block_rows(1 << 40) == 1
    assert memory.block_rows(MB) == memory.LEAST // MB
    assert memory.block_rows(0, most=7) == 7
