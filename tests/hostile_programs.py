"""Programs that mean harm: each tries something, and returns "escaped" where it came through.

`CANARY` stands for a folder with files that nobody may touch, `PORT` for a port of this machine that listens.
"""

from __future__ import annotations


def _calling(*lines: str) -> str:
    return "def f(age, sex):\n" + "".join(f"    {line}\n" for line in lines)


def _trying(*lines: str) -> str:
    """A program that goes on after what was refused."""
    tried = "".join(f"        {line}\n" for line in lines)
    return f"def f(age, sex):\n    try:\n{tried}    except BaseException:\n        return 'refused'\n"


PROGRAMS = {
    # processes
    "fork": _trying("import os", "pid = os.fork()", "while not pid: pass", "return 'escaped'"),
    "fork bomb": _trying("import os", "while True: os.fork()"),
    "system": _trying("import os", "return 'escaped' if os.system('touch CANARY/new') == 0 else 'refused'"),
    "subprocess": _trying("import subprocess", "subprocess.run(['true'], check=True)", "return 'escaped'"),
    "exec": _trying("import os", "os.execv('/bin/sh', ['sh', '-c', 'touch CANARY/new'])"),
    "posix spawn": _trying("import os", "os.posix_spawn('/bin/true', ['true'], {})", "return 'escaped'"),
    "multiprocessing": _trying(
        "import multiprocessing", "multiprocessing.Process(target=print).start()", "return 'escaped'"
    ),
    "popen": _trying("import os", "os.popen('ls').read()", "return 'escaped'"),
    "leave the session": _trying("import os", "os.setsid()", "os.setpgid(0, 0)", "return 'escaped'"),
    "daemon": _trying("import os", "os.fork() and os._exit(0)", "os.setsid()", "while True: pass"),
    "exit": _calling("import os", "os._exit(0)"),
    "exit at once": "import os\nos._exit(3)\n",
    "abort": _calling("import os", "os.abort()"),
    "raise system exit": _calling("raise SystemExit(0)"),
    "exit where it is defined": "raise SystemExit(0)\n",
    # signals
    "kill the parent": _trying("import os, signal", "os.kill(os.getppid(), 0)", "return 'escaped'"),
    "kill itself": _trying("import os, signal", "os.kill(os.getpid(), signal.SIGKILL)"),
    "kill the group": _trying("import os, signal", "os.killpg(0, signal.SIGKILL)"),
    "ignore signals": (
        "import signal\nfor each in range(1, 65):\n    try: signal.signal(each, signal.SIG_IGN)\n"
        "    except BaseException: pass\ndef f(age, sex):\n    while True: pass\n"
    ),
    "alarm": _trying("import signal", "signal.setitimer(signal.ITIMER_REAL, 0.01)", "return 'set'"),
    "signals by a file": _trying(
        "import fcntl, os", "fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())", "return 'escaped'"
    ),
    "signals by input": _trying(
        "import fcntl, os", "fcntl.fcntl(0, fcntl.F_SETFL, os.O_ASYNC)", "return 'escaped'"
    ),
    "segfault": _trying("import ctypes", "ctypes.string_at(0)"),
    "crash the stack": _trying("import sys", "sys.setrecursionlimit(10**9)", "f(age, sex)"),
    "crash by code": _trying("f.__code__ = f.__code__.replace(co_code=b'\\xff' * 100)", "f(age, sex)"),
    # memory and time
    "memory": _calling("x = []", "while True: x.append('a' * 10**6 + str(len(x)))"),
    "memory doubled": _calling("x = [0]", "while True: x = x + x"),
    "memory of a dict": _calling("x = {}", "while True: x[len(x)] = str(len(x)) * 10"),
    "memory at once": _calling("return len(bytes(10**12))"),
    "memory where it is defined": "x = 'a' * 10**11\ndef f(age, sex): return 1\n",
    "caught memory": _calling(
        "x = []", "while True:", "    try: x.append(['a'] * 10**6)", "    except BaseException: pass"
    ),
    "a huge number": _calling("return 9 ** 9 ** 9"),
    "a huge shift": _calling("return 1 << 10**12"),
    "a huge range": _calling("return sum(range(10**15))"),
    "a huge format": _calling("return '{:>99999999999}'.format('x')"),
    "a huge product": _calling("return len('x' * 10**9 * 10**9)"),
    "endless": _calling("while True: pass"),
    "endless and stubborn": _calling(
        "while True:", "    try:", "        while True: pass", "    except BaseException: pass"
    ),
    "endless where it is defined": "while True: pass\n",
    "endless in one call": _calling("return max(iter(int, 1))"),
    "a slow pattern": _calling("import re", "return re.match('(a+)+$', 'a' * 60 + 'b') is None"),
    "sleep": _calling("import time", "time.sleep(10**6)"),
    "deep recursion": _calling("return f(age, sex)"),
    "deep recursion caught": _calling("try: return f(age, sex)", "except BaseException: return f(age, sex)"),
    # what is returned, raised and printed
    "an endless generator": _calling("import itertools", "return (n for n in itertools.count())"),
    "an endless iterator": _calling("return iter(int, 1)"),
    "a deep list": _calling("x = []", "for _ in range(10**5): x = [x]", "return x"),
    "a wide list": _calling("x = [1]", "for _ in range(60): x = [x, x]", "return x"),
    "a ring": _calling("x = {}", "x['x'] = [x]", "return x"),
    "a long text": _calling("return 'a' * 10**7 + str(age)"),
    "many long texts": _calling("return [str(n) * 1000 for n in range(10**4)]"),
    "an output bomb": _calling("while True: print('x' * 10**5)"),
    "an output bomb on errors": _calling("import sys", "while True: print('x' * 10**5, file=sys.stderr)"),
    "raw output": _trying("import os", "while True: os.write(1, b'x' * 10**5)"),
    "raw output everywhere": (
        'import os\nfor each in range(64):\n    try: os.write(each, b\'{"outcomes": [], "each": []}\' * 9)\n'
        "    except OSError: pass\ndef f(age, sex): return age\n"
    ),
    "raw output without end": _trying(
        "import os",
        "while True:",
        "    for each in range(3, 20):",
        "        try: os.write(each, b'x' * 10**5)",
        "        except OSError: pass",
    ),
    "closed files": "import os\nos.closerange(0, 256)\ndef f(age, sex): return age\n",
    "files opened twice": (
        "import os\nfor each in range(3, 64):\n    try: os.dup2(0, each)\n    except OSError: pass\n"
        "def f(age, sex): return age\n"
    ),
    "an exception with a hostile text": (
        "class E(Exception):\n    def __str__(self):\n        while True: pass\ndef f(age, sex): raise E()\n"
    ),
    "an exception that raises": (
        "class E(Exception):\n    def __str__(self): raise self\n    __repr__ = __str__\n"
        "def f(age, sex): raise E()\n"
    ),
    "a text that is none": (
        "class T(str):\n    def __getitem__(self, _): return 3\n    def __len__(self): return -5\n"
        "class E(Exception):\n    def __str__(self): return T('x')\ndef f(age, sex): raise E()\n"
    ),
    "a class that lies": (
        "class A:\n    @property\n    def __class__(self): return int\n    def __eq__(self, _): return True\n"
        "    def __hash__(self): raise ValueError\n    def __bool__(self): raise ValueError\n"
        "def f(age, sex): return [A(), {'x': A()}]\n"
    ),
    "a type that lies": (
        "class M(type):\n    def __hash__(self): return hash(bool)\n    def __eq__(self, _): return True\n"
        "    def __instancecheck__(self, _): return True\n    __name__ = property(lambda self: 1 / 0)\n"
        "class A(metaclass=M): pass\ndef f(age, sex): return A()\n"
    ),
    "a list that lies": (
        "class L(list):\n    def __iter__(self):\n        while True: yield 1\n"
        "    def __len__(self): return 10**9\ndef f(age, sex): return L([1])\n"
    ),
    "a number that lies": (
        "class N(int):\n    def __int__(self): return self\n    def __str__(self): return ']}'\n"
        "    __repr__ = __index__ = __str__\ndef f(age, sex): return N(1)\n"
    ),
    "a value that acts at its end": (
        "import os\nclass A:\n    def __del__(self):\n        while True: pass\ndef f(age, sex): return A()\n"
    ),
    # the harness
    "a forged answer": (
        "import os, sys\ndef f(age, sex):\n    frame = sys._getframe()\n"
        "    while 'answer_to' not in frame.f_locals: frame = frame.f_back\n"
        "    told, mark = frame.f_locals['answer_to'], frame.f_locals['mark']\n"
        "    os.write(told, b'{\"outcomes\": [')\n"
        "    for _ in range(2000): os.write(told, b'[],' * 20000)\n"
        "    os.write(told, b'[]], \"each\": []}' + mark)\n    os._exit(0)\n"
    ),
    "patched built-ins": (
        "import builtins\nfor name in list(vars(builtins)):\n"
        "    if name not in ('len', 'list', '__import__', '__build_class__', 'setattr', 'vars'):\n"
        "        setattr(builtins, name, lambda *a, **k: 'escaped')\ndef f(age, sex): return age\n"
    ),
    "patched json": (
        "import json, json.encoder, json.decoder\njson.dumps = json.loads = lambda *a, **k: 'escaped'\n"
        "json.encoder.encode_basestring_ascii = json.encoder.c_make_encoder = None\n"
        "def f(age, sex): return [sex, age]\n"
    ),
    "patched modules": (
        "import sys\nfor name in list(sys.modules):\n    if name != 'sys': sys.modules[name] = None\n"
        "def f(age, sex): return age\n"
    ),
    "patched os": (
        "import os\nos.write = os._exit = os.dup = lambda *a: 1 / 0\nimport hashlib\n"
        "hashlib.sha256 = lambda *a: 1 / 0\ndef f(age, sex): return 'a' * 10000\n"
    ),
    "the callers' frames": (
        "import sys\ndef f(age, sex):\n    frame = sys._getframe()\n    while frame:\n"
        "        frame.f_locals.clear()\n        frame.f_globals.clear()\n        frame = frame.f_back\n"
        "    return age\n"
    ),
    "everything that is collected": (
        "import gc\ndef f(age, sex):\n    for each in gc.get_objects():\n"
        "        if type(each) is dict:\n            each.clear()\n    return age\n"
    ),
    "a trace": (
        "import sys\ndef spy(*a): raise ValueError('spy')\ndef f(age, sex):\n"
        "    sys.settrace(spy)\n    sys.setprofile(spy)\n    return age\n"
    ),
    "at exit": "import atexit\n@atexit.register\ndef g():\n    while 1: pass\ndef f(age, sex): return age\n",
    "threads": _trying(
        "import threading",
        "def g():",
        "    while True: pass",
        "for _ in range(100): threading.Thread(target=g).start()",
        "return 'started'",
    ),
    "an import of itself": _trying("import __main__", "vars(__main__).clear()", "return 'cleared'"),
    "an import hook": (
        "import sys\nclass Finder:\n    def find_spec(self, *a):\n        while True: pass\n"
        "sys.meta_path.insert(0, Finder())\nimport nothing_such\ndef f(age, sex): return age\n"
    ),
    "dunders": _trying(
        "for each in ().__class__.__base__.__subclasses__():",
        "    if each.__name__ == '_wrap_close':",
        "        each.__init__.__globals__['system']('touch CANARY/new')",
        "return 'walked'",
    ),
    # files and the network
    "read a file": _trying("return 'escaped' if open('CANARY/kept').read() else ''"),
    "read passwords": _trying("return 'escaped' if open('/etc/passwd').read() else ''"),
    "write a file": _trying("open('CANARY/new', 'w').write('x')", "return 'escaped'"),
    "change a file": _trying("open('CANARY/kept', 'a').write('x')", "return 'escaped'"),
    "cut a file": _trying("import os", "os.truncate('CANARY/kept', 0)", "return 'escaped'"),
    "remove a file": _trying("import os", "os.remove('CANARY/kept')", "return 'escaped'"),
    "remove a folder": _trying("import shutil", "shutil.rmtree('CANARY')", "return 'escaped'"),
    "rename a file": _trying("import os", "os.rename('CANARY/kept', 'CANARY/new')", "return 'escaped'"),
    "link a file": _trying("import os", "os.symlink('/etc/passwd', 'CANARY/new')", "return 'escaped'"),
    "a folder": _trying("import os", "os.mkdir('CANARY/new')", "return 'escaped'"),
    "rights of a file": _trying("import os", "os.chmod('CANARY/kept', 0o777)", "return 'escaped'"),
    "a file in the cwd": _trying("open('new', 'w').write('x' * 10**6)", "return 'escaped'"),
    "another cwd": _trying("import os", "os.chdir('CANARY')", "open('new', 'w')", "return 'escaped'"),
    "list a folder": _trying("import os", "return 'escaped' if os.listdir('CANARY') else ''"),
    "the environment": _trying("import os", "return 'escaped' if 'HOME' in os.environ else ''"),
    "standard input": _trying("import sys", "return sys.stdin.read()"),
    "a question": _trying("return input('?')"),
    "a connection": _trying(
        "import socket", "socket.create_connection(('127.0.0.1', PORT), 1)", "return 'escaped'"
    ),
    "a page": _trying(
        "import urllib.request",
        "urllib.request.urlopen('http://127.0.0.1:PORT', timeout=1)",
        "return 'escaped'",
    ),
    "a server": _trying("import socket", "socket.socket().listen()", "return 'escaped'"),
    "look for a file": _trying("import os", "return 'escaped' if os.path.exists('CANARY/kept') else ''"),
    "look at a link": _trying("import os", "return 'escaped' if os.path.islink('/proc/self/exe') else ''"),
    "a handle of a folder": _trying("import os", "os.open('/', os.O_PATH)", "return 'escaped'"),
    "raw memory": _trying("open('/proc/self/mem', 'r+b').write(b'x')", "return 'escaped'"),
    "more than the limits": _trying(
        "import resource", "resource.setrlimit(resource.RLIMIT_FSIZE, (10**9, 10**9))", "return 'escaped'"
    ),
    "a debugger": _calling("breakpoint()"),
    "hidden code": _trying("exec('import os; os.remove(\"CANARY/kept\")')", "return 'escaped'"),
    # text that is no program
    "brackets": "(" * 10**5,
    "minuses": "x = " + "-" * 10**5 + "1",
    "a long sum": "x = " + "+".join(["1"] * 50_000),
    "dots": "x = a" + ".b" * 10**5,
    "nested blocks": "".join("    " * depth + "if 1:\n" for depth in range(150)),
    "nested functions": "".join("    " * depth + "def f(age, sex):\n" for depth in range(90))
    + "    " * 90
    + "pass",
    "nested texts": "x = " + 'f"{' * 200 + "1" + '}"' * 200,
    "a null byte": "def f(age, sex): return 1\0",
    "half a pair": "def f(age, sex): return '\ud800'",
    "nothing": "",
}
