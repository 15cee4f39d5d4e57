"""A day in which the clock is moved a minute at a time, under everything that users do: what ends has to end, what lasts has to last."""

import asyncio
import os
import time

import kills
import lives
from lives import Life, Refused, good, redemption, renewal
from servers import Cluster, Server, folder, postgres_programs
from wire import Gone, Wire


async def day(trial, store):
    hours = trial.size("hours", 2, 24)
    cluster = Cluster() if store == "PostgreSQL" else None
    server = Server(trial.program, os.path.join(folder("hours"), "data"), "--public-url", "http://127.0.0.1:8080",
                    database=cluster.empty_database() if cluster else None)
    wire = Wire(server.port)
    offset, marks, count, ends = 0, [], 0, []

    async def move(seconds):
        nonlocal offset
        good(await wire.post("/dev/clock", {"advanceSeconds": seconds}), "clock")
        offset += seconds

    # A grant that is renewed each hour, one that never is, and links of the first minute.
    browser = await kills.visitor(wire)
    kept, left = [good(await wire.form("/oauth/token", redemption(await browser.code(wire)))) for _ in range(2)]
    person = Life()
    await person.sign_up(wire)
    link = (await person.link(wire, "PASSWORD_RESET"))["oobCode"]
    stale_code = await browser.code(wire)
    before = server.descriptors(), server.memory()
    for minute in range(hours * 60):
        if not await trial.turn():
            hours = minute / 60
            break
        if minute % 60 == 0:
            browser = await kills.visitor(wire)
        everyone = lives.lives(server, browser, 8, trial.random, offset)

        async def never():
            return False

        count += await kills.live(trial, everyone, wire, 1 << 30, never, crowd=8)
        await kills.judge(trial, everyone, wire, crowd=8)
        await move(60)
        if minute == 11:
            answer = await wire.form("/oauth/token", redemption(stale_code))
            if answer.status != 400:
                trial.fault(f"a code after eleven minutes: {answer}")
        if minute % 60 == 59:
            kept = good(await wire.form("/oauth/token", renewal(kept["refresh_token"])), "an hour's renewal")
            answer = await wire.ask("GET", "/userinfo", bearer=kept["access_token"])
            if answer.status != 200:
                trial.fault(f"a renewed token: {answer}")
            marks.append((server.memory(), server.descriptors()))
        trial.progress(f"{store}: {minute // 60}:{minute % 60:02} of {hours} h, memory {server.memory()} MiB, {len(trial.faults)} faults")
    # What was made in the first minute.
    answer = await wire.ask("GET", "/userinfo", bearer=left["access_token"])
    if hours >= 2 and answer.status != 401:
        trial.fault(f"an access token of the first minute: {answer}")
    answer = await wire.form("/oauth/token", renewal(left["refresh_token"]))
    if answer.status != 200:
        trial.fault(f"a refresh token of the first minute: {answer}")
    answer = await wire.post(f"/v1/accounts:resetPassword{lives.KEY}", {"oobCode": link, "newPassword": lives.OTHER})
    ends.append(f"link of the first minute: {answer.status}")
    if hours >= 24 and answer.status == 200:
        trial.fault("a link that resets a password is good after a day")
    # And far ahead: everything that waits is over, and removed at the next turn of the cleaning.
    await move(40 * 86400)
    answer = await wire.form("/oauth/token", renewal(left["refresh_token"]))
    ends.append(f"refresh after 40 days: {answer.status}")
    await kills.judge(trial, [], wire)
    fresh = Life(offset)
    await fresh.sign_up(wire)
    wire.close()
    after = await server.settled(before[0] + 2)
    if after > before[0] + 8:
        trial.fault(f"{after} descriptors, {before[0]} before")
    trial.judge_log(server)
    trial.figure(**{store: {
        "hours": hours, "acknowledged": count, "requests": wire.answered, "ends": ends, "slowest s": round(wire.slowest, 2),
        "descriptors": [before[0], after], "memory MiB, before, each hour, after": [before[1], [mark[0] for mark in marks], server.memory()]}})
    if server.terminate() != 0:
        trial.fault("the server does not end as it should")
    if cluster:
        cluster.end()


async def hours_on_sqlite(trial):
    await day(trial, "SQLite")


async def hours_on_postgres(trial):
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    await day(trial, "PostgreSQL")
