"""An upgrade while it runs: an older server, then this program's beside it on one PostgreSQL database, then this alone.

The older one makes users, codes and tokens; both are used by turns, each with what the other made; then the older one ends, under load.
And an upgrade of a data directory with the server stopped, on SQLite: by a start that is killed again and again, and the way back by a backup."""

import asyncio
import os
import shutil
import sqlite3
import subprocess

import kills
import lives
from lives import Refused
from servers import CHEAP, PATIENT, Cluster, Server, folder, postgres_programs
from wire import Gone, Several, Wire

URL = "http://127.0.0.1:8080"
# What an older program says of data that a newer one has changed.
NEWER = "the schema has version"


def refuses(trial, program, data, *more):
    """Whether a program refuses to start on data whose schema is newer, by the exit code and the sentence that docs/operations.md has."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COUNTERSIGN_")}
    started = subprocess.run(
        [program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data, "--public-url", URL, *more], capture_output=True, text=True,
        env=kept | CHEAP | PATIENT, timeout=120)
    if started.returncode == 0 or NEWER not in started.stderr:
        trial.fault(f"the older program does not refuse the newer schema: {started.returncode} {started.stderr[-500:]}")


def looked_at(data):
    """The schema of a data directory and what SQLite says of the file, by a copy: a look would mend what a kill left."""
    copy = folder("look")
    for name in os.listdir(data):
        if name.startswith("countersign.sqlite"):
            shutil.copy2(os.path.join(data, name), copy)
    database = sqlite3.connect(os.path.join(copy, "countersign.sqlite"))
    try:
        return (database.execute("SELECT MAX(version) FROM schema_migrations").fetchone()[0],
                database.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        database.close()
        shutil.rmtree(copy)


async def live_out(trial, everyone, wire):
    """Lets everyone live to their end, all of it acknowledged."""
    async def nothing():
        return False

    return await kills.live(trial, everyone, wire, float("inf"), nothing)


async def upgrade_of_data(trial):
    if not trial.older:
        return trial.skip("no older program is given (--older)")
    people = trial.size("people", 64, 640)
    place = folder("data")
    data, copy = os.path.join(place, "data"), os.path.join(place, "copy.sqlite")

    def command(program, *words, where=data):
        done = kills.run(program, *words, "--dev", "--data", where)
        if done.returncode:
            trial.fault(f"{' '.join(words)} ends with {done.returncode}: {done.stdout}{done.stderr}")

    old = Server(trial.older, data, "--public-url", URL)
    wire = Wire(old.port)
    browser = await kills.visitor(wire)
    before, back = (lives.lives(old, browser, people, trial.random) for _ in range(2))
    acknowledged = await live_out(trial, before + back, wire)
    command(trial.older, "db", "backup", copy)
    wire.close()
    trial.judge_log(old)
    if old.terminate() != 0:
        trial.fault("the old server does not end as it should")
    was = looked_at(data)[0]

    # How long a start takes that changes the tables, and what they are then.
    tried = os.path.join(place, "tried")
    shutil.copytree(data, tried)
    new = Server(trial.program, tried, "--public-url", URL)
    if new.terminate() != 0:
        trial.fault("the new server does not end as it should")
    now = looked_at(tried)[0]
    # Starts that are killed on their way. The next one finds what the one before left.
    kept, struck, seen = os.path.join(place, "kept"), 0, {was: 0, now: 0}
    shutil.copytree(data, kept)
    for _ in range(trial.size("strikes", 8, 80)):
        start = subprocess.Popen(
            [trial.program, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", data, "--public-url", URL], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env=os.environ | CHEAP)
        await asyncio.sleep(trial.random.uniform(0, new.took))
        start.kill()
        start.wait()
        struck += 1
        found, whole = looked_at(data)
        seen[found] = seen.get(found, 0) + 1
        if whole != "ok":
            trial.fault(f"after a start that was killed, integrity_check says {whole}")
        if found == now and now > was:
            shutil.rmtree(data)
            shutil.copytree(kept, data)
    if seen.keys() - {was, now}:
        trial.fault(f"starts that were killed left schemas that no version has had: {seen}")

    new = Server(trial.program, data, "--public-url", URL)
    wire = Wire(new.port)
    await kills.judge(trial, before, wire)
    after = lives.lives(new, browser, people, trial.random)
    acknowledged += await live_out(trial, after, wire)
    await kills.judge(trial, after, wire)
    wire.close()
    trial.judge_log(new)
    if new.terminate() != 0:
        trial.fault("the new server does not end as it should")
    command(trial.program, "db", "check")
    if now > was:
        refuses(trial, trial.older, data)
        if looked_at(data)[0] != now:
            trial.fault("the older program changed the schema that it refuses")

    # The way back: the older program, the backup, the same master key.
    restored = os.path.join(place, "restored")
    command(trial.older, "db", "restore", copy, where=restored)
    shutil.copy2(os.path.join(data, "master-key"), os.path.join(restored, "master-key"))
    shutil.copy2(os.path.join(data, "admin-token"), os.path.join(restored, "admin-token"))
    old = Server(trial.older, restored, "--public-url", URL)
    wire = Wire(old.port)
    await kills.judge(trial, back, wire)
    wire.close()
    trial.judge_log(old)
    if old.terminate() != 0:
        trial.fault("the old server on the backup does not end as it should")
    trial.figure(**{
        "older": kills.run(trial.older, "--version").stdout.strip(), "schemas": [was, now], "acknowledged": acknowledged,
        "judged": len(before + after + back), "starts killed": struck,
        "schemas after those": seen,
        "new server ready after s": round(new.took, 2)})


async def upgrade(trial):
    if not trial.older:
        return trial.skip("no older program is given (--older)")
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    seconds = trial.size("upgrade", 10, 60)
    cluster = Cluster()
    database, place = cluster.empty_database(), folder("upgrade")
    old = Server(trial.older, os.path.join(place, "old"), "--public-url", URL, database=database)
    version = lambda: int(cluster.sql("SELECT MAX(version) FROM schema_migrations", f"endure_{cluster.count}"))  # noqa: E731
    was, both, phase = version(), Several([Wire(old.port)]), "old"
    answered = {"old": 0, "both": 0, "new": 0}
    everyone = {"old": [], "both": [], "new": []}
    refused, begun_again, is_over = [], [0], False

    async def worker():
        browser, batches = None, 0
        while not is_over:
            # Two grants a batch: older programs knew the newest thousand of a session.
            if browser is None or batches % 100 == 0:
                try:
                    browser = await kills.visitor(both)
                except (Gone, Refused, KeyError, TypeError) as error:
                    # An older server may not know a request to its pages that a newer one has kept: its user begins again.
                    if phase == "both" and "Begin again" in str(error):
                        begun_again[0] += 1
                    else:
                        refused.append(f"{phase}, signing in: {type(error).__name__} {error}")
                    continue
            batches += 1
            for each in lives.lives(old, browser, 8, trial.random):
                if is_over:
                    return
                began = phase
                try:
                    await each.run(both)
                    answered[began] += 1
                except (Gone, Refused, KeyError, TypeError) as error:
                    refused.append(f"{began}, {type(each).__name__}: {type(error).__name__} {error}")
                everyone[began].append(each)

    working = [asyncio.create_task(worker()) for _ in range(8)]
    await asyncio.sleep(seconds)
    new = await asyncio.to_thread(
        Server, trial.program, os.path.join(place, "new"), "--public-url", URL, "--master-key-file",
        os.path.join(old.data, "master-key"), database=database)
    trial.say(f"the new server is there after {new.took:.1f} s")
    phase = "both"
    both.wires.append(Wire(new.port))
    await asyncio.sleep(seconds)
    # Each judges what was made before, at both servers.
    judged = list(everyone["old"])
    everyone["old"] = []
    await kills.judge(trial, judged[:400], both)
    # As a proxy does it: no request goes to the server that is about to end.
    leaving = both.wires.pop(0)
    phase = "new"
    await asyncio.sleep(1)
    code = await asyncio.to_thread(old.terminate)
    if code != 0:
        trial.fault(f"the old server ends with {code}")
    trial.judge_log(old)
    if version() > was:
        # As its unit would start it: it says why not, and the new one serves on.
        await asyncio.to_thread(refuses, trial, trial.older, old.data, "--database", database)
    await asyncio.sleep(seconds)
    is_over = True
    await asyncio.gather(*working)
    leaving.close()
    for each in refused[:20]:
        trial.fault(f"refused: {each}")
    await kills.judge(trial, everyone["both"][:400] + everyone["new"][:400], both)
    trial.judge_log(new)
    trial.figure(lived=answered, refused=len(refused), begun_again=begun_again[0], judged=len(judged[:400]) + len(everyone["both"][:400]) + len(everyone["new"][:400]),
                 older=kills.run(trial.older, "--version").stdout.strip(), schemas=[was, version()],
                 **{"new server ready after s": round(new.took, 2)})
    if new.terminate() != 0:
        trial.fault("the new server does not end as it should")
    cluster.end()
