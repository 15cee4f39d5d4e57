"""Thousands of long polls that wait for nothing: what each costs, whether others are answered meanwhile, and what is left of it."""

import asyncio
import os
import time

import lives
from lives import HasDevice, Life
from servers import Server, folder
from wire import Gone, HTTP1, Wire, request_bytes

# Of one device sixteen requests may wait.
EACH = 10


async def polls(trial):
    count = trial.size("polls", 1000, 10_000)
    rounds = trial.size("rounds", 1, 3)
    server = Server(trial.program, os.path.join(folder("polls"), "data"))
    wire = Wire(server.port)
    devices, waiting = [], list(range((count + EACH - 1) // EACH))

    async def enrol():
        while waiting:
            waiting.pop()
            device = HasDevice(server.administrator)
            await device.run(wire)
            devices.append(device)

    await asyncio.gather(*[enrol() for _ in range(8)])
    owner = Life()
    await owner.sign_up(wire)
    before = server.descriptors(), server.memory()
    connections = [HTTP1(server.port) for _ in range(count)]
    held, slowest, ended, lost = [], 0, 0, 0
    for number in range(rounds):
        async def hold(place):
            device = devices[place % len(devices)]
            request = request_bytes("GET", device.poll(55), [("Host", wire.host), ("Authorization", f"Bearer {device.device['token']}")], b"")
            # Not all in one moment: this is how they come.
            await asyncio.sleep(place % 1000 / 200)
            return await connections[place].send(request)

        began = time.monotonic()
        holding = [asyncio.create_task(hold(place)) for place in range(count)]
        await asyncio.sleep(8)
        held.append((server.descriptors(), server.memory()))
        # Others are served meanwhile, and a request reaches its device.
        for _ in range(20):
            answer = await wire.post(f"/v1/accounts:lookup{lives.KEY}", {"idToken": owner.id_token})
            if answer.status != 200:
                trial.fault(f"beside the polls: {answer}")
            slowest = max(slowest, answer.after)
        asked = devices[number % len(devices)]
        token = (await asked.password_grant(wire)).json["mfa_token"]
        sent = time.monotonic()
        answer = await wire.post("/mfa/challenge", {"client_id": "dev-app", "challenge_type": "oob", "mfa_token": token})
        if answer.status != 200:
            trial.fault(f"a request to a device: {answer}")
        own = [holding[place] for place in range(number % len(devices), count, len(devices))]
        told, _ = await asyncio.wait(own, timeout=20)
        reached = time.monotonic() - sent
        trial.say(f"{count} polls held {held[-1]}; {len(told)} of {len(own)} of one device told after {reached:.2f} s")
        if len(told) != len(own):
            trial.fault(f"{len(own) - len(told)} of {len(own)} polls of one device were not told in 20 s")
        for place, answer in enumerate(await asyncio.gather(*holding, return_exceptions=True)):
            if isinstance(answer, Gone):
                lost += 1
                if lost < 5:
                    trial.fault(f"a poll: {answer}")
            elif isinstance(answer, BaseException):
                trial.fault(f"a poll: {answer!r}")
            elif answer.status not in (200, 204):
                trial.fault(f"a poll: {answer}")
            else:
                ended += 1
        trial.progress(f"round {number + 1} of {rounds}: all ended after {time.monotonic() - began:.0f} s")
    for connection in connections:
        connection.close()
    wire.close()
    after = await server.settled(before[0] + 4)
    if after > before[0] + 8:
        trial.fault(f"{after} descriptors, {before[0]} before")
    trial.judge_log(server)
    trial.figure(
        polls=count, rounds=rounds, ended=ended, lost=lost, **{
            "descriptors before, held, after": [before[0], [each[0] for each in held], after],
            "memory MiB before, held, after": [before[1], [each[1] for each in held], server.memory()],
            "KiB for each poll": round((max(each[1] for each in held) - before[1]) * 1024 / count, 1),
            "slowest look-up meanwhile s": round(slowest, 3)})
    if server.terminate() != 0:
        trial.fault("the server does not end as it should")
