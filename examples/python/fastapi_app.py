"""A lobby behind FastAPI: AMQP_URL=amqp://guest:guest@127.0.0.1:5672 uvicorn fastapi_app:app"""

import os

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from poker_bridge import AsyncCaller, Caller, CallerError

STATUS = {"invalid": 400, "rejected": 422, "expired": 504, "unavailable": 503, "uncertain": 502}
app = FastAPI()


@app.on_event("startup")
def start() -> None:
    # Each worker process runs this after the fork.
    app.state.caller = Caller(os.environ["AMQP_URL"], "example-fastapi", prefix=os.environ.get("AMQP_PREFIX", "poker"))


@app.on_event("shutdown")
def stop() -> None:
    app.state.caller.close()


@app.exception_handler(CallerError)
async def fail(_: Request, error: CallerError) -> JSONResponse:
    wait_s = -(-(error.retry_after_ms or 0) // 1000)
    headers = {"Retry-After": str(wait_s)} if error.retryable else {}
    return JSONResponse({"code": error.code}, STATUS.get(error.category, 500), headers)


@app.post("/players/{player}/lobby")
async def open_lobby(player: str) -> dict[str, str]:
    game = await AsyncCaller(app.state.caller).open_game({"player": {"id": player}}, deadline_ms=5_000)
    return {"url": game["url"]}
