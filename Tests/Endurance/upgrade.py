"""An upgrade while it runs: an older server, then this program's beside it on one PostgreSQL database, then this alone.

The older one makes users, codes and tokens; both are used by turns, each with what the other made; then the older one ends, under load."""

import asyncio
import os

import kills
import lives
from lives import Refused
from servers import Cluster, Server, folder, postgres_programs
from wire import Gone, Several, Wire

URL = "http://127.0.0.1:8080"


async def upgrade(trial):
    if not trial.older:
        return trial.skip("no older program is given (--older)")
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    seconds = trial.size("upgrade", 10, 60)
    cluster = Cluster()
    database, place = cluster.empty_database(), folder("upgrade")
    old = Server(trial.older, os.path.join(place, "old"), "--public-url", URL, database=database)
    both, phase = Several([Wire(old.port)]), "old"
    browser = await kills.visitor(both)
    answered = {"old": 0, "both": 0, "new": 0}
    everyone = {"old": [], "both": [], "new": []}
    refused, is_over = [], False

    async def worker():
        while not is_over:
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
    await asyncio.sleep(seconds)
    is_over = True
    await asyncio.gather(*working)
    leaving.close()
    for each in refused[:20]:
        trial.fault(f"refused: {each}")
    await kills.judge(trial, everyone["both"][:400] + everyone["new"][:400], both)
    trial.judge_log(new)
    trial.figure(lived=answered, refused=len(refused), judged=len(judged[:400]) + len(everyone["both"][:400]) + len(everyone["new"][:400]),
                 older=kills.run(trial.older, "--version").stdout.strip(), **{"new server ready after s": round(new.took, 2)})
    if new.terminate() != 0:
        trial.fault("the new server does not end as it should")
    cluster.end()
