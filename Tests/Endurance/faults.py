"""What is beside the server and fails: a disk that is full, a disk that is slow, a mail server that never answers."""

import asyncio
import atexit
import os
import shutil
import subprocess
import time
from pathlib import Path

import kills
import lives
from lives import KEY, PASSWORD, Life, SignsUp, good
from servers import PATIENT, Cluster, Server, folder, postgres_programs, run
from wire import Gone, Wire

HERE = Path(__file__).resolve().parent


def small_disk(megabytes):
    """A file system of its own; None where this user may not mount one."""
    place = folder("disk")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=711", "tmpfs", place], capture_output=True)
    if done.returncode:
        return None
    atexit.register(subprocess.run, ["umount", "-l", place], capture_output=True)
    return place


def fill(disk):
    """Takes all that is left."""
    with open(os.path.join(disk, "filler"), "wb", buffering=0) as file:
        for size in (1 << 20, 4096, 1):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                pass


def empty(disk):
    os.remove(os.path.join(disk, "filler"))


async def until_ready(trial, wire, what, seconds=60):
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        try:
            if (await wire.ask("GET", "/health/ready")).status == 200:
                answer = await wire.post(f"/v1/accounts:signUp{KEY}", {"email": lives.address(), "password": PASSWORD})
                if answer.status == 200:
                    return time.monotonic() - began
        except Gone:
            pass
        await asyncio.sleep(0.1)
    trial.fault(f"{what}: not ready again after {seconds} s")
    return seconds


async def full_disk(trial):
    for store in ("SQLite", "PostgreSQL"):
        if store == "PostgreSQL" and not postgres_programs():
            continue
        await full(trial, store)


async def full(trial, store):
    disk = small_disk(40 if store == "SQLite" else 320)
    if disk is None:
        return trial.skip("a small file system takes root's rights")
    cluster, database = None, None
    if store == "PostgreSQL":
        os.mkdir(os.path.join(disk, "pg"))
        cluster = Cluster(place=os.path.join(disk, "pg"), fsync=True, settings=["max_wal_size = 64MB", "min_wal_size = 32MB"])
        database = cluster.empty_database()
    # The log of the server is elsewhere: of a full journal it would say nothing.
    data = os.path.join(disk if not cluster else folder("full"), "data")
    log = os.path.join(folder("log"), "log")
    options = {"database": database, "log": log, "environment": kills.IMPATIENT if cluster else None}
    server = Server(trial.program, data, "--public-url", "http://127.0.0.1:8080", **options)
    wire = Wire(server.port)
    browser = await kills.visitor(wire)
    everyone, refused, others, back, restarts = [], 0, {}, [], []
    before = server.descriptors(), server.memory()
    for number in range(trial.size("fillings", 2, 20)):
        if trial.is_over:
            break
        lot = lives.lives(server, browser, 32, trial.random)

        async def strike():
            await asyncio.to_thread(fill, disk)

        await kills.live(trial, lot, wire, trial.random.randrange(1, 40), strike)
        everyone += lot
        # While it is full: refused in words, nothing torn, and alive.
        for _ in range(60):
            each = SignsUp()
            try:
                answer = await wire.post(f"/v1/accounts:signUp{KEY}", {"email": each.email, "password": PASSWORD})
            except Gone as error:
                trial.fault(f"{store}: no answer while the disk is full: {error}")
                break
            others[answer.status] = others.get(answer.status, 0) + 1
            if answer.status == 200:
                each.id_token, each.refresh = answer.json["idToken"], answer.json["refreshToken"]
                each.note("signed up")
            elif answer.is_away:
                refused += 1
            else:
                trial.fault(f"{store}: while the disk is full: {answer}")
            everyone.append(each)
        if not server.is_alive:
            trial.fault(f"{store}: the server ended on a full disk: {server.said()[-1500:]}")
        if (await wire.ask("GET", "/health/live")).status != 200:
            trial.fault(f"{store}: not live on a full disk")
        readiness = await wire.ask("GET", "/health/ready")
        others[f"ready {readiness.status}"] = others.get(f"ready {readiness.status}", 0) + 1
        if number % 2:
            # Killed on a full disk: starts on it, or says why not.
            server.kill()
            wire.close()
            try:
                server = Server(trial.program, data, "--public-url", "http://127.0.0.1:8080", **options | (
                    {"environment": kills.IMPATIENT | {"COUNTERSIGN_POSTGRES_START_TIMEOUT": "3"}} if cluster else {}))
                restarts.append("started")
            except RuntimeError as error:
                restarts.append("did not start: " + str(error).strip().splitlines()[-1][:200])
        empty(disk)
        if cluster and "database system is shut down" in cluster.log()[-600:]:
            await asyncio.to_thread(cluster.start)
        if not server.is_alive:
            server = Server(trial.program, data, "--public-url", "http://127.0.0.1:8080", **options)
        wire = Wire(server.port)
        back.append(round(await until_ready(trial, wire, store), 2))
        await kills.judge(trial, lot, wire)
        trial.progress(f"{store}: filled {number + 1} times, {others}, {len(trial.faults)} faults")
    kept = [each for each in everyone if type(each) is SignsUp and each.done]
    await kills.judge(trial, kept, wire)
    wire.close()
    after = await server.settled(before[0] + 8)
    if after > before[0] + 16:
        trial.fault(f"{after} descriptors, {before[0]} before")
    if server.terminate() != 0:
        trial.fault("the server does not end as it should")
    checked = run(trial.program, "db", "check", "--dev", "--data", data) if not cluster else None
    if checked and checked.returncode:
        trial.fault(f"{store}: db check: {checked.stdout}{checked.stderr}")
    if cluster and (wrong := cluster.check()):
        trial.fault(f"{store}: pg_amcheck: {wrong}")
    trial.figure(**{store: {
        "filled": len(back), "refused with 503": refused, "answers while full": others, "ready again after s": back, "restarts on a full disk": restarts,
        "acknowledged and there": len(kept), "descriptors": [before[0], after], "errors logged": len(server.faults())}})
    if cluster:
        cluster.end()


# MARK: A slow disk

async def slow_disk(trial):
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler or not os.path.exists("/proc/self"):
        return trial.skip("a C compiler and LD_PRELOAD make the disk slow")
    shim = os.path.join(folder("slow"), "slow_flush.so")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", shim, str(HERE / "slow_flush.c"), "-ldl"], check=True)
    os.chmod(os.path.dirname(shim), 0o755)
    for store in ("SQLite", "PostgreSQL"):
        if store == "PostgreSQL" and not postgres_programs():
            continue
        for delay in (100, 1000):
            if trial.is_over:
                return
            await slow(trial, store, shim, delay)


async def slow(trial, store, shim, delay):
    seconds = trial.size("seconds", 10, 60)
    environment = {"LD_PRELOAD": shim, "FLUSH_MILLISECONDS": str(delay)}
    cluster = Cluster(fsync=True) if store == "PostgreSQL" else None
    database = cluster.empty_database() if cluster else None
    arguments = ["--public-url", "http://127.0.0.1:8080"]
    data = os.path.join(folder("slow"), "data")
    if cluster:
        cluster.stop()
        cluster.preload = [f"{shim}", f"FLUSH_MILLISECONDS={delay}"]
        cluster.start()
    # A slow database is given up on as operators have it.
    server = Server(trial.program, data, *arguments, database=database, environment={name: "5" for name in PATIENT} if cluster else environment)
    wire = Wire(server.port)
    end, made, times, refused = time.monotonic() + seconds, [], [], 0

    async def worker():
        nonlocal refused
        while time.monotonic() < end and not trial.is_over:
            each = SignsUp()
            made.append(each)
            began = time.monotonic()
            try:
                await each.run(wire)
                times.append(time.monotonic() - began)
            except Gone as error:
                # After the end the server is killed below.
                if "503" not in str(error) and time.monotonic() < end:
                    trial.fault(f"{store}, {delay} ms: {error}")
                refused += "503" in str(error)
                await asyncio.sleep(0.2)

    working = [asyncio.create_task(worker()) for _ in range(trial.size("writers", 64, 256))]
    lives_meanwhile = []
    while time.monotonic() < end and not trial.is_over:
        began = time.monotonic()
        if (await wire.ask("GET", "/health/live")).status != 200:
            trial.fault(f"{store}, {delay} ms: not live")
        lives_meanwhile.append(time.monotonic() - began)
        trial.progress(f"{store}, {delay} ms: {len(times)} signed up, {len(trial.faults)} faults")
        await asyncio.sleep(0.25)
    # In the middle of it, as always.
    seconds += time.monotonic() - end
    end = 0
    server.kill()
    await asyncio.gather(*working, return_exceptions=True)
    wire.close()
    if cluster:
        cluster.stop("immediate")
        cluster.preload = None
        cluster.start()
    server = Server(trial.program, data, *arguments, database=database)
    wire = Wire(server.port)
    await kills.judge(trial, made, wire)
    times.sort()
    trial.judge_log(server)
    server.terminate()
    trial.figure(**{f"{store}, {delay} ms": {
        "signed up": len(times), "each second": round(len(times) / seconds, 1), "refused with 503": refused,
        "median s": round(times[len(times) // 2], 2) if times else None, "slowest s": round(times[-1], 2) if times else None,
        "/health/live, slowest s": round(max(lives_meanwhile, default=0), 3)}})
    if cluster:
        cluster.end()


# MARK: A mail server that never answers

class MailServer:
    """Takes connections and says nothing; later it speaks SMTP (RFC 5321), and takes every mail."""

    def __init__(self):
        self.is_silent, self.taken, self.open, self.most = True, [], 0, 0

    async def start(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]

    async def serve(self, reader, writer):
        self.open += 1
        self.most = max(self.most, self.open)
        try:
            if self.is_silent:
                while await reader.read(4096):
                    pass
                return
            writer.write(b"220 mail\r\n")
            while line := await reader.readline():
                word = line[:4].upper()
                if word == b"DATA":
                    writer.write(b"354 go on\r\n")
                    while await reader.readline() != b".\r\n":
                        pass
                    self.taken.append(recipient)
                    writer.write(b"250 taken\r\n")
                elif word == b"QUIT":
                    writer.write(b"221 bye\r\n")
                    break
                else:
                    if word == b"RCPT":
                        recipient = line.split(b"<")[1].split(b">")[0].decode()
                    writer.write(b"250 yes\r\n")
        except (OSError, IndexError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            writer.close()


async def silent_mail(trial):
    count = trial.size("mails", 60, 2000)
    mail = MailServer()
    await mail.start()
    server = Server(trial.program, os.path.join(folder("mail"), "data"), environment={
        "COUNTERSIGN_MAIL_FROM": "login@example.com", "COUNTERSIGN_MAIL_SMTP_URL": f"smtp://127.0.0.1:{mail.port}",
        "COUNTERSIGN_MAIL_SMTP_ENCRYPTION": "none"})
    # The database's connections are opened by those who first need them.
    wire = Wire(server.port)
    await asyncio.gather(*[Life().sign_up(wire) for _ in range(32)])
    wire.close()
    await asyncio.sleep(1)
    before = server.descriptors(), server.memory()
    wire = Wire(server.port)
    waiting, people, times = list(range(count)), [], []

    async def worker():
        while waiting:
            waiting.pop()
            person = Life()
            await person.sign_up(wire)
            began = time.monotonic()
            good(await wire.post(f"/v1/accounts:sendOobCode{KEY}", {"requestType": "PASSWORD_RESET", "email": person.email}))
            times.append(time.monotonic() - began)
            people.append(person)

    await asyncio.gather(*[worker() for _ in range(16)])
    silence = trial.size("silence", 20, 180)
    highest = server.memory()
    end = time.monotonic() + silence
    while time.monotonic() < end and not trial.is_over:
        answer = await people[0].sign_in(wire)
        if answer.status != 200:
            trial.fault(f"while mail does not go: {answer}")
        highest = max(highest, server.memory())
        trial.progress(f"{mail.most} connections to the mail server at most, {server.descriptors()} descriptors, {highest} MiB")
        await asyncio.sleep(0.5)
    waited = server.descriptors()
    # It begins to speak; what is good still goes out.
    mail.is_silent = False
    end = time.monotonic() + trial.size("patience", 120, 300)
    while len(set(mail.taken)) < count and time.monotonic() < end:
        await wire.post("/admin/v1/delivery:retry", {"channel": "mail"}, server.administrator)
        trial.progress(f"{len(set(mail.taken))} of {count} delivered")
        await asyncio.sleep(1)
    wire.close()
    delivered = set(mail.taken)
    if missing := {person.email for person in people} - delivered:
        trial.fault(f"{len(missing)} of {count} mails were not delivered, such as to {sorted(missing)[0]}")
    twice = len(mail.taken) - len(delivered)
    after = await server.settled(before[0] + 4)
    if after > before[0] + 8:
        trial.fault(f"{after} descriptors, {before[0]} before")
    trial.figure(mails=count, delivered=len(delivered), twice=twice, **{
        "silence s": silence, "connections to it at most": mail.most, "slowest request that mails s": round(max(times), 2),
        "descriptors before, waiting, after": [before[0], waited, after], "memory MiB before, highest, after": [before[1], highest, server.memory()],
        "lines of the log that are errors": len(server.faults())})
    if server.terminate() != 0:
        trial.fault("the server does not end as it should")
    mail.server.close()
