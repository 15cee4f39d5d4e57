"""What is driven from outside: the program as a process, PostgreSQL as a process, and what the kernel says of both."""

import asyncio
import atexit
import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request

# Hashes that cost next to nothing, so that the rest is what is tried.
CHEAP = {"COUNTERSIGN_PASSWORDS_MEMORY_MIB": "1", "COUNTERSIGN_PASSWORDS_OPERATIONS": "1"}
# A machine that is too busy is no database that is away. Chapters in which it goes have times of their own.
PATIENT = {"COUNTERSIGN_POSTGRES_CONNECT_TIMEOUT": "60", "COUNTERSIGN_POSTGRES_STATEMENT_TIMEOUT": "60",
           "COUNTERSIGN_POSTGRES_TRANSACTION_TIMEOUT": "60"}
# What the log says of faults of the program itself.
FAULTS = re.compile(r" (error|critical) |Fatal error|Assertion failed|AddressSanitizer|Backtrace|\*\*\* Program crashed|CRASH")


def folder(name):
    """A new directory that PostgreSQL's user can pass through."""
    path = tempfile.mkdtemp(prefix=f"countersign-endure-{name}-")
    os.chmod(path, 0o711)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Server:
    """`countersign serve --dev` on a data directory, which stays for the next one."""

    running = set()

    def __init__(self, program, data, *more, database=None, environment=None, port=0, log=None):
        self.program, self.data, self.log = program, data, log or f"{data}.log"
        arguments = [program, "serve", "--dev", "--listen", f"127.0.0.1:{port}", "--data", data, *more]
        if database:
            arguments += ["--database", database]
        self.output = open(self.log, "ab")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("COUNTERSIGN_")}
        began = time.monotonic()
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.PIPE, stderr=self.output, env=kept | CHEAP | PATIENT | (environment or {}))
        Server.running.add(self)
        for line in self.process.stdout:
            if found := re.match(rb"listening on https?://[^:]+:(\d+)", line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError(f"the server did not start: {self.said()[-2000:]}")
        self.took = time.monotonic() - began

    @property
    def administrator(self):
        """The administrator's token."""
        with open(os.path.join(self.data, "admin-token")) as file:
            return file.read().strip()

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def faults(self):
        """Lines of the log that no request and no neighbour may cause."""
        return [line for line in self.said().splitlines() if FAULTS.search(line)]

    @property
    def is_alive(self):
        return self.process.poll() is None

    def kill(self):
        self.process.kill()
        self._gone()

    def terminate(self, patience=40):
        """Ends it as an operator does. The exit code; None where it did not end."""
        self.process.terminate()
        try:
            self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()
            return None
        self._gone()
        return self.process.returncode

    def _gone(self):
        self.process.wait()
        self.process.stdout.close()
        self.output.close()
        Server.running.discard(self)

    # MARK: What the kernel says

    def memory(self):
        """MiB that it holds."""
        with open(f"/proc/{self.process.pid}/status") as status:
            return round(int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024, 1)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def processor(self):
        """Seconds of processors that it has used."""
        return processor(self.process.pid)

    async def settled(self, limit, seconds=90):
        """Descriptors after clients have left; connections end a moment after their clients do, which takes turns of the event loop."""
        end = time.monotonic() + seconds
        while (count := self.descriptors()) > limit and time.monotonic() < end:
            await asyncio.sleep(0.1)
        return count

    def metrics(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=30) as answer:
            return answer.read().decode()


def processor(*processes):
    """Seconds of processors that these have used, with those of their children that have ended."""
    ticks = 0
    for process in processes:
        try:
            with open(f"/proc/{process}/stat") as file:
                ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, timeout=600)


@atexit.register
def _end_servers():
    for server in list(Server.running):
        server.kill()


# MARK: PostgreSQL

def postgres_programs():
    """The folder of `initdb`, which Debian keeps out of the search path; None where there is none."""
    places = [os.environ.get("POSTGRES_BIN")]
    if os.path.isdir("/usr/lib/postgresql"):
        places += [f"/usr/lib/postgresql/{version}/bin" for version in sorted(os.listdir("/usr/lib/postgresql"), reverse=True)]
    places.append(os.path.dirname(shutil.which("initdb") or ""))
    return next((place for place in places if place and os.path.exists(os.path.join(place, "postgres"))), None)


class Cluster:
    """A PostgreSQL of its own, run as the user `postgres` where this program is root's: it refuses root."""

    def __init__(self, place=None, fsync=False, preload=None, settings=()):
        self.bin = postgres_programs()
        if not self.bin:
            raise FileNotFoundError("PostgreSQL is not installed; `make deps` installs it, or POSTGRES_BIN says where it is")
        self.home = place or folder("pg")
        self.data, self.port, self.preload = os.path.join(self.home, "data"), free_port(), preload
        self.as_user = []
        if os.getuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.home, user.pw_uid, user.pw_gid)
            self.as_user = ["runuser", "-u", "postgres", "--"]
        self._do("initdb", "-D", self.data, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-sync",
                 "--no-instructions", "--no-locale")
        lines = ["listen_addresses = '127.0.0.1'", f"port = {self.port}", f"unix_socket_directories = '{self.home}'",
                 "max_connections = 200", f"fsync = {'on' if fsync else 'off'}", "shared_buffers = 32MB", *settings]
        self._do("sh", "-c", "cat >> \"$1\"", "sh", os.path.join(self.data, "postgresql.conf"), text="\n".join(lines) + "\n")
        self.count = 0
        self.start()
        atexit.register(self.end)

    def _do(self, program, *arguments, text=None, check=True, environment=()):
        path = os.path.join(self.bin, program)
        command = [*self.as_user, "env", "LC_ALL=C", *environment, path if os.path.exists(path) else program, *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True, cwd="/", timeout=1800)
        if check and done.returncode:
            raise RuntimeError(f"{program}: {done.stdout[-500:]}{done.stderr[-1500:]}")
        return done

    def start(self):
        environment = [f"LD_PRELOAD={self.preload[0]}", *self.preload[1:]] if self.preload else []
        # The log goes to a file of its own: a pipe would be held open by the server that stays.
        path = os.path.join(self.bin, "pg_ctl")
        command = [*self.as_user, "env", "LC_ALL=C", *environment, path, "-D", self.data, "-w", "-t", "900", "-s",
                   "-l", os.path.join(self.home, "log"), "start"]
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=1800)
        return done.returncode == 0

    def stop(self, mode="fast"):
        self._do("pg_ctl", "-D", self.data, "-m", mode, "-w", "-s", "stop", check=False)

    def processes(self):
        """The first one, and its children."""
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            first = int(file.readline())
        return first, [int(child) for child in subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()]

    def processor(self):
        """Seconds of processors that all of it has used."""
        first, children = self.processes()
        return processor(first, *children)

    def kill(self):
        """Every process of it at once."""
        first, children = self.processes()
        os.kill(first, signal.SIGSTOP)
        for process in [*children, first]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        # Its shared memory is free when the last child is gone.
        end = time.monotonic() + 10
        while time.monotonic() < end and any(os.path.exists(f"/proc/{process}") for process in [first, *children]):
            time.sleep(0.02)

    def sql(self, command, database="postgres"):
        done = self._do("psql", "-h", self.home, "-p", str(self.port), "-U", "postgres", "-d", database, "-Atqc", command)
        return done.stdout.strip()

    def empty_database(self):
        self.count += 1
        name = f"endure_{self.count}"
        self.sql(f"CREATE DATABASE {name}")
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}?sslmode=disable"

    def check(self):
        """What `pg_amcheck` finds in all databases; an empty text where all is well."""
        done = self._do("pg_amcheck", "-h", self.home, "-p", str(self.port), "-U", "postgres", "--install-missing", "--all", check=False)
        return done.stdout + done.stderr if done.returncode else ""

    def log(self):
        with open(os.path.join(self.home, "log"), errors="replace") as log:
            return log.read()

    def end(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            self.stop("immediate")


def raise_limits():
    """As many open files as the kernel gives."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard
