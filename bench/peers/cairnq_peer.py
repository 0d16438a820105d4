"""Python cairnq: the same protocol on the same kind of database, its own SQL and its own schema level."""

import asyncio
import json
import sys
import time

from cairnq import CairnQ, Worker

SUBMITS_AT_ONCE = 64


def open_both(params):
    if params["backend"] == "sqlite":
        return CairnQ.sqlite(params["target"]), Worker.sqlite(
            params["target"], concurrency=params["concurrency"]
        )
    return CairnQ.postgres(params["target"]), Worker.postgres(
        params["target"], concurrency=params["concurrency"]
    )


async def fill(client, params):
    payload = {"p": "x" * (params["payloadBytes"] - 8)}
    remaining = params["tasks"]
    while remaining > 0:
        count = min(SUBMITS_AT_ONCE, remaining)
        await asyncio.gather(*(client.submit("noop", payload) for _ in range(count)))
        remaining -= count


async def main(params):
    client, worker = open_both(params)
    await client.connect()
    filling = time.perf_counter()
    await fill(client, params)
    filled = time.perf_counter() - filling
    done = 0

    @worker.task("noop")
    async def noop(ctx, payload):
        nonlocal done
        done += 1
        if done == params["tasks"]:
            worker.stop()

    # Its store opens in run(); that is a small part of what is measured here and cannot be told apart.
    started = time.perf_counter()
    await worker.run()
    seconds = time.perf_counter() - started
    counts = (await client.stats())["default"]
    if counts["succeeded"] != params["tasks"]:
        raise RuntimeError(f"left behind: {counts}")
    await worker.close()
    await client.close()
    return {
        "perSecond": params["tasks"] / seconds,
        "submitsPerSecond": params["tasks"] / filled,
    }


print(json.dumps(asyncio.run(main(json.loads(sys.argv[1])))))
