"""`kill -9` amid everything that users do, on each store; the same of PostgreSQL itself."""

import asyncio
import os
import time

from lives import Broken, Browser, Life, Refused, lives
from servers import Cluster, Server, folder, postgres_programs, run
from wire import Gone, Patient, Several, Wire

# What a server that PostgreSQL has left waits for at most.
IMPATIENT = {"COUNTERSIGN_POSTGRES_CONNECT_TIMEOUT": "2", "COUNTERSIGN_POSTGRES_STATEMENT_TIMEOUT": "2",
             "COUNTERSIGN_POSTGRES_TRANSACTION_TIMEOUT": "2"}


async def live(trial, everyone, wire, enough, strike, crowd=24):
    """Lets everyone live until so many things are acknowledged, then strikes; returns when each has ended."""
    waiting, struck = list(everyone), False
    acknowledged = lambda: sum(len(each.acknowledged) for each in everyone)  # noqa: E731

    async def worker():
        while waiting and not struck:
            each = waiting.pop()
            try:
                await each.run(wire)
            except Gone:
                # What was under way is not known.
                pass
            except (Refused, KeyError, TypeError) as error:
                if not struck:
                    trial.fault(f"{type(each).__name__} {each.email}: {type(error).__name__} {error}")

    workers = [asyncio.create_task(worker()) for _ in range(crowd)]
    while acknowledged() < enough and not all(task.done() for task in workers):
        await asyncio.sleep(0.001)
    count = acknowledged()
    struck = await strike() is not False
    await asyncio.gather(*workers)
    return count


async def judge(trial, everyone, wire, crowd=16):
    waiting, wire = list(everyone), Patient(wire)

    async def worker():
        while waiting:
            each = waiting.pop()
            try:
                for fault in await each.judge(wire):
                    trial.fault(f"{type(each).__name__} {each.acknowledged}: {fault}")
            except (Gone, Refused, Broken, KeyError, TypeError) as error:
                trial.fault(f"{type(each).__name__} {each.email} cannot be judged: {type(error).__name__} {error}")

    await asyncio.gather(*[worker() for _ in range(crowd)])


async def visitor(wire):
    """A browser that is signed in."""
    owner = Life()
    await owner.sign_up(wire)
    browser = Browser(owner.email)
    await browser.visit(wire)
    return browser


async def kills(trial, store):
    rounds = trial.size("kills", 10, 1000)
    people = 32
    data = folder("kills")
    cluster, database = None, None
    if store == "PostgreSQL":
        cluster = Cluster()
        database = cluster.empty_database()
    arguments = ["--public-url", "http://127.0.0.1:8080"]
    server = Server(trial.program, os.path.join(data, "data"), *arguments, database=database)
    wire = Wire(server.port)
    browser = await visitor(wire)
    done, acknowledged, starts, requests, alive = 0, 0, [], 0, []
    for number in range(rounds):
        if not await trial.turn():
            break
        everyone = lives(server, browser, people, trial.random)
        enough = trial.random.randrange(1, 2 * people)

        async def strike():
            server.process.kill()

        acknowledged += await live(trial, everyone, wire, enough, strike)
        server.kill()
        wire.close()
        requests += wire.answered
        server = Server(trial.program, server.data, *arguments, database=database)
        starts.append(server.took)
        wire = Wire(server.port)
        await judge(trial, everyone, wire)
        done += 1
        alive += [each for each in everyone if type(each).__name__ == "SignsUp" and each.done][:1]
        trial.progress(f"{store}: {done} of {rounds} kills, {acknowledged} acknowledged, {len(trial.faults)} faults")
    # Of every round one, at the end of all.
    await judge(trial, alive, wire)
    requests += wire.answered
    trial.judge_log(server)
    if server.terminate() != 0:
        trial.fault(f"{store}: the server does not end as it should")
    # PostgreSQL has a program of its own for that.
    checked = run(trial.program, "db", "check", "--dev", "--data", server.data) if not cluster else None
    if checked and checked.returncode:
        trial.fault(f"{store}: db check: {checked.stdout}{checked.stderr}")
    if cluster and (wrong := cluster.check()):
        trial.fault(f"{store}: pg_amcheck: {wrong}")
    starts.sort()
    # An interrupt may come before the first kill.
    trial.figure(**{store: {
        "kills": done, "acknowledged": acknowledged, "requests": requests, "judged again at the end": len(alive),
        "start, median s": round(starts[len(starts) // 2], 3) if starts else None, "start, longest s": round(starts[-1], 3) if starts else None}})
    if cluster:
        cluster.end()


async def kills_on_sqlite(trial):
    await kills(trial, "SQLite")


async def kills_on_postgres(trial):
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    await kills(trial, "PostgreSQL")


async def database_goes(trial):
    """PostgreSQL is killed, stopped at once or in order, and comes back, under two servers that live on."""
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    rounds = trial.size("outages", 3, 100)
    cluster = Cluster()
    database = cluster.empty_database()
    place = folder("outages")
    first = Server(trial.program, os.path.join(place, "first"), "--public-url", "http://127.0.0.1:8080", database=database,
                   environment=IMPATIENT)
    second = Server(trial.program, os.path.join(place, "second"), "--public-url", "http://127.0.0.1:8080", "--master-key-file",
                    os.path.join(first.data, "master-key"), database=database, environment=IMPATIENT)
    servers = [first, second]
    wires = [Wire(server.port) for server in servers]
    wire = Several(wires)
    browser = await visitor(wires[0])
    before = [server.descriptors() for server in servers]
    memory = [[server.memory()] for server in servers]
    back, acknowledged = [], 0
    for number in range(rounds):
        if not await trial.turn():
            break
        everyone = lives(first, browser, 32, trial.random)
        how = ["kill", "immediate", "fast"][number % 3]

        async def strike():
            await asyncio.to_thread(cluster.kill) if how == "kill" else await asyncio.to_thread(cluster.stop, how)
            for each in wires:
                answer = await each.post("/v1/accounts:signUp?key=any", {"email": "late@example.com", "password": "a quiet afternoon"})
                if not answer.is_away:
                    trial.fault(f"while PostgreSQL is away ({how}): {answer}")
                answer = await each.ask("GET", "/.well-known/jwks.json")
                if answer.status != 200:
                    trial.fault(f"keys while PostgreSQL is away: {answer}")
            if not await asyncio.to_thread(cluster.start):
                trial.fault(f"PostgreSQL does not start: {cluster.log()[-500:]}")

        acknowledged += await live(trial, everyone, wire, trial.random.randrange(1, 64), strike)
        began = time.monotonic()
        for each in wires:
            while (await each.ask("GET", "/health/ready")).status != 200 and time.monotonic() - began < 60:
                await asyncio.sleep(0.05)
        back.append(time.monotonic() - began)
        await judge(trial, everyone, wire)
        for place, server in enumerate(servers):
            memory[place].append(server.memory())
        trial.progress(f"{number + 1} of {rounds} outages, {acknowledged} acknowledged, {len(trial.faults)} faults")
    for each in wires:
        each.close()
    for place, server in enumerate(servers):
        # Connections to the database are its own; those of clients are gone.
        after = await server.settled(before[place] + 8)
        if after > before[place] + 16:
            trial.fault(f"{after} descriptors, {before[place]} before")
        trial.figure(**{f"server {place + 1}": {
            "descriptors": [before[place], after], "memory MiB, first, highest, last": [
                memory[place][0], max(memory[place]), memory[place][-1]]}})
        trial.judge_log(server, beside="PostgreSQL cannot be reached")
        if server.terminate() != 0:
            trial.fault("a server does not end as it should")
    trial.figure(outages=len(back), acknowledged=acknowledged, **{"ready again after, longest s": round(max(back, default=0), 2)})
    cluster.end()
