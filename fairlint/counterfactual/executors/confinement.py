"""What the system holds a process to, from inside that process: it cannot be undone later.

This file is loaded as text by the child that runs programs, so it needs the standard library alone. Limits of
resources are POSIX's; the rest is Linux's:

- a mount namespace (https://man7.org/linux/man-pages/man7/mount_namespaces.7.html) in which there are some
  folders and nothing else, so that other files cannot even be asked whether they exist, how large they are
  and when they changed. Those who are not root get one in a user namespace, which some systems refuse.
- Landlock (https://docs.kernel.org/userspace-api/landlock.html): files can be read below some folders, and
  nothing can be written, made or removed; newer versions also refuse TCP, and signals to other processes.
- a seccomp filter (https://docs.kernel.org/userspace-api/seccomp_filter.html): all system calls but those
  that reckoning and reading need are refused, so there are no sockets, no further processes or threads, no
  files opened for writing. Of calls that do many things, those are allowed that Python needs: others have
  the kernel send signals, which no version of Landlock before the sixth refuses.
"""

from __future__ import annotations

import ctypes
import errno
import math
import os
import platform
import signal
import struct
import sys
import time
from collections.abc import Iterable

LIMITS = "resource limits"
READING = "files: Python's own can be read, none written (Landlock)"
CALLS = "no network, processes, threads, signals or written files (seccomp)"
HIDING = "paths: Python's own alone can be seen (mount namespace)"
GUARANTEES = (LIMITS, READING, CALLS, HIDING)
FILES = 32
"""Files that may be open at once."""
NOT_LINUX = "the system is not Linux"

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_NEW_MOUNTS, _NEW_USERS = 0x20000, 0x10000000
_NO_SUID, _NO_DEVICES, _BIND, _RECURSIVE, _PRIVATE = 2, 4, 4096, 16384, 1 << 18
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""Version of Landlock → how many rights over files it knows; later ones as 5."""
_READ_FILE, _READ_DIRECTORY = 1 << 2, 1 << 3
_CONNECT_OR_BIND, _SIGNALS_AND_SOCKETS = 3, 3
_CAPABILITIES, _READ_ALL = 0x20080522, 1 << 2
"""The form in which capabilities are told, and the one that may stay: Landlock says what can be read."""

_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
"""Machine → the column of its numbers below, and what the kernel calls it."""
_CALLS: dict[str, tuple[int, ...]] = {
    "read": (0, 63), "write": (1, 64), "open": (2,), "close": (3, 57), "stat": (4,), "fstat": (5, 80),
    "lstat": (6,), "poll": (7,),
    "lseek": (8, 62), "mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215),
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
    "exit_group": (231, 94), "openat": (257, 56), "newfstatat": (262, 79), "readlinkat": (267, 78),
    "faccessat": (269, 48), "pselect6": (270, 72), "ppoll": (271, 73),
    "set_robust_list": (273, 99), "dup3": (292, 24),
    "getrandom": (318, 278), "statx": (332, 291), "rseq": (334, 293), "faccessat2": (439, 439),
}  # fmt: skip
_IS, _BELOW, _LACKS = 0x15, 0x35, 0x45
"""What is asked of an argument: to be a value, to be below one, to have none of its bits. Argument 0 is the
first; one beyond 32 bits fulfils nothing."""
_Check = tuple[int, int, int]
_GETFD, _SETFD, _GETFL, _SETFL, _DUPFD, _DUPFD_CLOEXEC = 1, 2, 3, 4, 0, 1030
_ASYNC = 0o20000
_TCGETS, _TCGETS2, _TIOCGWINSZ, _FIONCLEX, _FIOCLEX = 0x5401, 0x802C542A, 0x5413, 0x5450, 0x5451
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000 | 0o2000 | 0o20000000
"""O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND and O_TMPFILE without O_DIRECTORY, on both machines."""
_O_PATH = 0o10000000
_FAULTY_MEMORY = 100
"""From here on, advice about memory is about the machine's."""
_ONLY: dict[str, tuple[tuple[_Check, ...], ...]] = {
    "open": (((1, _LACKS, _WRITING | _O_PATH),),),
    "openat": (((2, _LACKS, _WRITING | _O_PATH),),),
    "fcntl": (
        *(((1, _IS, command),) for command in (_GETFD, _SETFD, _GETFL, _DUPFD, _DUPFD_CLOEXEC)),
        ((1, _IS, _SETFL), (2, _LACKS, _ASYNC)),
    ),
    "ioctl": tuple(((1, _IS, request),) for request in (_TCGETS, _TCGETS2, _TIOCGWINSZ, _FIOCLEX, _FIONCLEX)),
    "madvise": (((2, _BELOW, _FAULTY_MEMORY),),),
}
"""Call → what its arguments have to be, in one way of several; other calls may have any."""
_LOAD, _RETURN = 0x20, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
Step = tuple[int, int, int, int]
"""Of a filter: what is done, how many steps are left out where it is so, where it is not, and with what."""


def confine(seconds: float, memory: int, folders: list[str]) -> dict[str, str]:
    """Hold this process to so many CPU seconds, bytes beyond those that it has now, and folders to read.

    The result says of LIMITS, READING, CALLS and HIDING why it does not hold; nothing where it does.
    """
    taken = _address_space_size()
    if sys.platform != "linux":
        found = dict.fromkeys((READING, CALLS, HIDING), NOT_LINUX)
        return {LIMITS: _set_limits(seconds, taken + memory), **found}
    libc = ctypes.CDLL(None, use_errno=True)
    found = {HIDING: _hide_files(libc, folders), LIMITS: _set_limits(seconds, taken + memory)}
    _drop_capabilities(libc)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    return {**found, READING: _apply_landlock(libc, folders), CALLS: _apply_seccomp(libc)}


def _last_error_text() -> str:
    return os.strerror(ctypes.get_errno())


# ---------------------------------------------------------------------------------------------- resources


def _set_limits(seconds: float, memory: int) -> str:
    try:
        import resource  # noqa: PLC0415 (other systems lack it)
    except ImportError:
        return "the system does not limit what a process takes"
    whole = math.ceil(time.process_time() + seconds) + 1
    wanted = {
        "RLIMIT_AS": (memory, memory),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_NPROC": (0, 0),
        "RLIMIT_NOFILE": (FILES, FILES),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_CPU": (whole, whole + 1),
    }
    for name, pair in wanted.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            try:
                resource.setrlimit(kind, pair)
            except (ValueError, OSError) as error:
                if name in ("RLIMIT_CPU", "RLIMIT_FSIZE"):
                    return f"{name} cannot be set: {error}"
    # to the hundredth, where the limit above knows whole seconds; a program can shut its ears to it
    for each in (signal.SIGPROF, signal.SIGXCPU):
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.setitimer(signal.ITIMER_PROF, seconds)
    return ""


def _address_space_size() -> int:
    """Return the bytes of address space that this process has."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 (start-up)
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _drop_capabilities(libc: ctypes.CDLL) -> None:
    """Leave root nothing of what it may do to the machine."""
    header = ctypes.create_string_buffer(struct.pack("<Ii", _CAPABILITIES, 0))
    told = ctypes.create_string_buffer(24)
    if libc.capget(header, told) == 0:
        effective, permitted, *_ = struct.unpack("<6I", told.raw)
        kept = struct.pack("<6I", effective & _READ_ALL, permitted & _READ_ALL, 0, 0, 0, 0)
        libc.capset(header, kept)


# ------------------------------------------------------------------------------------------------- files


def _hide_files(libc: ctypes.CDLL, folders: list[str]) -> str:
    """Make the current folder, which is empty, the root of all paths, with these folders at their places."""
    user, group = os.getuid(), os.getgid()
    try:
        if libc.unshare(_NEW_MOUNTS) != 0:
            if libc.unshare(_NEW_USERS | _NEW_MOUNTS) != 0:
                return f"this system or container lets no user namespace be made ({_last_error_text()})"
            for name, text in (
                ("setgroups", "deny"),
                ("uid_map", f"{user} {user} 1"),
                ("gid_map", f"{group} {group} 1"),
            ):
                _write_text(f"/proc/self/{name}", text)
        root = os.getcwd()  # noqa: PTH109 (start-up)
        _mount_place(libc, "none", "/", _RECURSIVE | _PRIVATE)
        _mount_place(libc, "tmpfs", root, _NO_SUID | _NO_DEVICES)
        for path in sorted({*folders, *map(os.path.realpath, folders)}, key=len):
            place = root + path
            if os.path.exists(place) or not os.path.exists(path):  # noqa: PTH110 (start-up)
                continue
            os.makedirs(place if os.path.isdir(path) else os.path.dirname(place), exist_ok=True)  # noqa: PTH103, PTH112, PTH120 (start-up)
            if not os.path.isdir(path):  # noqa: PTH112 (start-up)
                _write_text(place, "")
            _mount_place(libc, path, place, _BIND | _RECURSIVE)
        os.mkdir(f"{root}/empty")  # noqa: PTH102 (start-up)
        os.chroot(root)
        os.chdir("/empty")
    except OSError as error:
        return f"this system or container lets nothing be mounted ({error})"
    return ""


def _write_text(path: str, text: str) -> None:
    with open(path, "w") as file:  # noqa: PTH123 (start-up)
        file.write(text)


def _mount_place(libc: ctypes.CDLL, what: str, place: str, flags: int) -> None:
    kind = b"tmpfs" if what == "tmpfs" else None
    if libc.mount(os.fsencode(what), os.fsencode(place), kind, ctypes.c_ulong(flags), None) != 0:
        raise OSError(ctypes.get_errno(), _last_error_text(), place)


def _apply_landlock(libc: ctypes.CDLL, folders: list[str]) -> str:
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint(1))
    if version < 1:
        reason = _last_error_text()
        return f"there is no Landlock ({reason}): Linux has it from 5.13 on, where it is not switched off"
    rights = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    attributes = struct.pack("<Q", rights)
    if version >= 4:
        attributes += struct.pack("<Q", _CONNECT_OR_BIND)
    if version >= 6:
        attributes += struct.pack("<Q", _SIGNALS_AND_SOCKETS)
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    if rules < 0:
        return f"Landlock takes no rules ({_last_error_text()})"
    for folder in folders:
        try:
            place = os.open(folder, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue
        allowed = _READ_FILE | (_READ_DIRECTORY if os.path.isdir(folder) else 0)  # noqa: PTH112 (the same)
        libc.syscall(_ADD_RULE, rules, 1, struct.pack("<Qi", allowed, place), ctypes.c_uint(0))
        os.close(place)
    held = libc.syscall(_RESTRICT_SELF, rules, ctypes.c_uint(0)) == 0
    why = "" if held else f"Landlock does not hold ({_last_error_text()})"
    os.close(rules)
    return why


# ------------------------------------------------------------------------------------------ system calls


def _apply_seccomp(libc: ctypes.CDLL) -> str:
    machine = platform.machine()
    if machine not in _ARCHITECTURES or sys.byteorder != "little" or sys.maxsize < 2**32:
        return f"which system calls are which is not known of {machine or 'this machine'}"
    steps = call_filter(machine)
    code = ctypes.create_string_buffer(b"".join(struct.pack("<HBBI", *step) for step in steps))
    program = struct.pack("<HxxxxxxQ", len(steps), ctypes.addressof(code))
    if libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(2), program, 0, 0) != 0:
        return f"the kernel or the container takes no seccomp filter ({_last_error_text()})"
    return ""


def call_filter(machine: str) -> list[Step]:
    """Return what the kernel asks of each system call, as classic BPF over `struct seccomp_data`."""
    column, kernel = _ARCHITECTURES[machine]
    # the offsets of its fields: 0 the call, 4 the machine, 16 + 8 n its n-th argument, the lower half first
    steps: list[Step] = [(_LOAD, 0, 0, 4), (_IS, 1, 0, kernel), (_RETURN, 0, 0, _REFUSE), (_LOAD, 0, 0, 0)]
    for name, numbers in _CALLS.items():
        if column < len(numbers):
            told = [step for ways in _ONLY.get(name, ((),)) for step in _allow_steps(ways)]
            told.append((_RETURN, 0, 0, _REFUSE))
            steps += [(_IS, 0, len(told), numbers[column]), *told]
    return [*steps, (_RETURN, 0, 0, _REFUSE)]


def _allow_steps(checks: Iterable[_Check]) -> list[Step]:
    """Allow a call whose arguments are so, and goes on behind these steps where one is not."""
    asked = []
    for argument, question, value in checks:
        at = 16 + 8 * argument
        asked += [(_LOAD, at + 4), (_IS, 0), (_LOAD, at), (question, value)]
    steps: list[Step] = []
    for number, (what, value) in enumerate(asked):
        behind = len(asked) - number
        if what == _LOAD:
            steps.append((what, 0, 0, value))
        elif what == _IS:
            steps.append((what, 0, behind, value))
        else:  # one that is so has bits that it may not have, or is not below
            steps.append((what, behind, 0, value))
    return [*steps, (_RETURN, 0, 0, _ALLOW)]
