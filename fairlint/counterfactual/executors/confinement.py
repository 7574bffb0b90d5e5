"""What the system holds a process to, from inside that process: it cannot be undone later.

This file is loaded as text by the child that runs programs, so it needs the standard library alone. Limits of
resources are POSIX's; the other two are Linux's and are left out where the kernel has them not:

- Landlock (https://docs.kernel.org/userspace-api/landlock.html): files can be read below some folders, and
  nothing can be written, made or removed; no TCP, no signals to other processes.
- a seccomp filter (https://docs.kernel.org/userspace-api/seccomp_filter.html): all system calls but those
  that reckoning and reading need are refused, so there are no sockets, no further processes or threads, no
  files opened for writing.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys

LIMITS = "resource limits"
READING = "files: Python's own can be read, none written (Landlock)"
CALLS = "no network, processes, threads or written files (seccomp)"
FILES = 32
"""Files that may be open at once."""

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Version of Landlock → how many rights over files it knows; later ones as 5."""
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
_CONNECT_OR_BIND, _SIGNALS_AND_SOCKETS = 3, 3

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine → the column of its numbers below, and what the kernel calls it."""
_CALLS: dict[str, tuple[int, ...]] = {
    "read": (0, 63), "write": (1, 64), "close": (3, 57), "stat": (4,), "fstat": (5, 80), "lstat": (6,),
    "poll": (7,), "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215),
    "brk": (12, 214), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "ioctl": (16, 29), "pread64": (17, 67), "readv": (19, 65), "writev": (20, 66), "access": (21,),
    "select": (23,), "sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "dup": (32, 23),
    "dup2": (33,), "nanosleep": (35, 101), "getpid": (39, 172), "exit": (60, 93), "uname": (63, 160),
    "fcntl": (72, 25), "getcwd": (79, 17), "readlink": (89,), "gettimeofday": (96, 169),
    "getrlimit": (97, 163), "getrusage": (98, 165), "sysinfo": (99, 179), "times": (100, 153),
    "getuid": (102, 174), "getgid": (104, 176), "geteuid": (107, 175), "getegid": (108, 177),
    "getppid": (110, 173), "sigaltstack": (131, 132), "gettid": (186, 178), "futex": (202, 98),
    "sched_getaffinity": (204, 123), "getdents64": (217, 61), "restart_syscall": (219, 128),
    "clock_gettime": (228, 113), "clock_getres": (229, 114), "clock_nanosleep": (230, 115),
    "exit_group": (231, 94), "newfstatat": (262, 79), "readlinkat": (267, 78), "faccessat": (269, 48),
    "pselect6": (270, 72), "ppoll": (271, 73), "set_robust_list": (273, 99), "dup3": (292, 24),
    "getrandom": (318, 278), "membarrier": (324, 283), "statx": (332, 291), "rseq": (334, 293),
    "faccessat2": (439, 439),
}  # fmt: skip
_OPENAT = (257, 56)
_WRITING = (
    os.O_WRONLY
    | os.O_RDWR
    | os.O_CREAT
    | os.O_TRUNC
    | os.O_APPEND
    | (getattr(os, "O_TMPFILE", 0) & ~os.O_DIRECTORY)
)
_LOAD, _EQUAL, _AND_SET, _RETURN = 0x20, 0x15, 0x45, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | 1


def confine(seconds: float, memory: int, folders: list[str]) -> list[str]:
    """Holds this process to so many CPU seconds, bytes beyond those that it has now, and folders to read.

    What holds is returned, as LIMITS, READING and CALLS.
    """
    holds = []
    if _limits(seconds, memory):
        holds.append(LIMITS)
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0:
            if _landlock(libc, folders):
                holds.append(READING)
            if _seccomp(libc):
                holds.append(CALLS)
    return holds


def _limits(seconds: float, memory: int) -> bool:
    try:
        import resource  # noqa: PLC0415 (other systems lack it)
    except ImportError:
        return False
    whole = int(seconds) + 2
    wanted = {
        "RLIMIT_CPU": whole,
        "RLIMIT_AS": _taken() + memory,
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NPROC": 0,
        "RLIMIT_NOFILE": FILES,
        "RLIMIT_CORE": 0,
    }
    for name, most in wanted.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            try:
                resource.setrlimit(kind, (most, most))
            except (ValueError, OSError):
                if name in ("RLIMIT_CPU", "RLIMIT_FSIZE"):
                    return False
    return True


def _taken() -> int:
    """The bytes of address space that this process has."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (start-up)
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _landlock(libc: ctypes.CDLL, folders: list[str]) -> bool:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        return False
    rights = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    attributes = struct.pack("<Q", rights)
    if version >= 4:
        attributes += struct.pack("<Q", _CONNECT_OR_BIND)
    if version >= 6:
        attributes += struct.pack("<Q", _SIGNALS_AND_SOCKETS)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        return False
    for folder in folders:
        try:
            place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = _READ_FILE | (_READ_DIRECTORY if os.path.isdir(folder) else 0)  # noqa: PTH112 (the same)
        libc.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", allowed, place), ctypes.c_uint(0))
        os.close(place)
    held = bool(libc.syscall(_RESTRICT_SELF, rules, ctypes.c_uint(0)) == 0)
    os.close(rules)
    return held


def _seccomp(libc: ctypes.CDLL) -> bool:
    known = _ARCHITECTURES.get(platform.machine())
    if known is None or sys.byteorder != "little" or sys.maxsize < 2**32:
        return False
    column, kernel = known
    numbers = [each[column] for each in _CALLS.values() if column < len(each)]
    # the offsets of `struct seccomp_data`: 0 the call, 4 the machine, 16 + 8 n its n-th argument
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, kernel), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
    for number in numbers:
        steps += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ALLOW)]
    steps += [(_EQUAL, 1, 0, _OPENAT[column]), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 32)]
    steps += [(_AND_SET, 0, 1, _WRITING), (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(code))
    return bool(libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(2), program, 0, 0) == 0)
