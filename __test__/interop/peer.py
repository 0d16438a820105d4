"""The Python SDK beside the product: what its one JSON argument asks for, told as JSON lines."""

import asyncio
import json
import os
import sys
import traceback
import time

from cairnq import CairnQ, Worker

config = json.loads(sys.argv[1])


def tell(event, **fields):
    print(json.dumps({"event": event, "at": int(time.time() * 1000), **fields}), flush=True)


def reach(kind, **options):
    if "dsn" in config:
        return kind.postgres(config["dsn"], **options)
    return kind.sqlite(config["path"], **options)


async def submit():
    client = reach(CairnQ)
    ids = []
    for task in config["tasks"]:
        options = {key: value for key, value in task.items() if key not in ("name", "payload")}
        ids.append((await client.submit(task["name"], task.get("payload"), **options)).id)
    await client.close()
    tell("submitted", ids=ids)


async def call():
    client = reach(CairnQ)
    for task in config["tasks"]:
        tell("result", result=await client.call(task["name"], task.get("payload")))
    await client.close()


async def work():
    worker = reach(Worker, poll_interval_ms=20, **config.get("options", {}))

    @worker.task("echo")
    async def echo(ctx, payload):
        tell("start", taskId=ctx.task_id, attempt=ctx.attempt)
        await ctx.progress(0.5, "half")
        return payload

    @worker.task("double")
    async def double(ctx, payload):
        return {"doubled": payload["n"] * 2, "text": payload.get("text")}

    @worker.task("fails")
    async def fails(ctx, payload):
        raise ValueError("not in Python either")

    @worker.task("retried")
    async def retried(ctx, payload):
        if ctx.attempt == 1:
            raise ValueError("once")
        return ctx.attempt

    @worker.task("long")
    async def long(ctx, payload):
        tell("start", taskId=ctx.task_id, attempt=ctx.attempt)
        for _ in range(1000):
            if await ctx.canceled():
                return None
            await asyncio.sleep(0.02)

    running = asyncio.ensure_future(worker.run())
    tell("running")
    await running


async def main():
    await {"submit": submit, "call": call, "work": work}[config["act"]]()


status = 0
try:
    asyncio.run(main())
except BaseException:
    traceback.print_exc()
    status = 1
# A connection left open by a failure has a thread that would keep the process for ever.
sys.stderr.flush()
os._exit(status)
