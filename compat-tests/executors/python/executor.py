"""An executor on pyxxl with the handlers of the suite.

    executor.py APPNAME PORT ADMIN_URL TOKEN

It deregisters and ends on SIGTERM, and ends at once when its standard input does. Log files go to the working
directory.
"""

import asyncio
import os
import sys
import threading
import time
import warnings
from pathlib import Path

from pyxxl import ExecutorConfig, JobHandler, PyxxlRunner
from pyxxl.ctx import g

# stubborn is synchronous on purpose: only a thread can be deaf to a cancellation.
warnings.simplefilter("ignore", SyntaxWarning)

handler = JobHandler()


@handler.register(name="ok")
async def ok():
    g.logger.info("one line")


@handler.register(name="echo")
async def echo():
    return f"param=[{g.xxl_run_data.executorParams}]"


@handler.register(name="fail")
async def fail():
    # The library has no other way to fail than an exception.
    raise RuntimeError("failed on purpose")


@handler.register(name="throw")
async def throw():
    raise ValueError("thrown on purpose")


@handler.register(name="sleep")
async def sleep():
    millis = g.xxl_run_data.executorParams
    await asyncio.sleep(int(millis) / 1000)
    return f"slept {millis}"


@handler.register(name="gate")
async def gate():
    """Writes param.started, then waits for param.open and writes param.passed; when cancelled writes
    param.interrupted and gives up."""
    path = g.xxl_run_data.executorParams
    Path(path + ".started").touch()
    try:
        while not Path(path + ".open").exists():
            await asyncio.sleep(0.02)
    except asyncio.CancelledError:
        Path(path + ".interrupted").touch()
        raise
    Path(path + ".passed").touch()
    return "passed"


@handler.register(name="stubborn")
def stubborn():
    """As gate, but deaf to cancellation; writes param.ended at the end."""
    path = g.xxl_run_data.executorParams
    Path(path + ".started").touch()
    while not Path(path + ".open").exists():
        time.sleep(0.02)
    Path(path + ".ended").touch()
    return "passed"


@handler.register(name="shard")
async def shard():
    text = f"shard {g.xxl_run_data.broadcastIndex}/{g.xxl_run_data.broadcastTotal}"
    g.logger.info(text)
    return text


@handler.register(name="log200")
async def log200():
    for i in range(200):
        g.logger.info("log line %03d", i)


def end_with_stdin():
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    appname, port, admin, token = sys.argv[1:5]
    threading.Thread(target=end_with_stdin, daemon=True).start()
    config = ExecutorConfig(
        xxl_admin_baseurl=admin.rstrip("/") + "/api/",
        executor_app_name=appname,
        access_token=token,
        executor_listen_host="127.0.0.1",
        executor_listen_port=int(port),
        dotenv_try=False,
    )
    PyxxlRunner(config, handler=handler).run_executor()


if __name__ == "__main__":
    main()
