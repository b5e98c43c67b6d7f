"""A lobby behind Django, in one file: AMQP_URL=amqp://guest:guest@127.0.0.1:5672 python3 django_app.py runserver"""

import os
import sys
from functools import cache

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, JsonResponse
from django.urls import path

from poker_bridge import Caller, CallerError

STATUS = {"invalid": 400, "rejected": 422, "expired": 504, "unavailable": 503, "uncertain": 502}
settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1", "testserver"], SECRET_KEY="example")


@cache
def caller() -> Caller:
    """Returns the caller of this process, made by its first request and so after any fork."""
    return Caller(os.environ["AMQP_URL"], "example-django", prefix=os.environ.get("AMQP_PREFIX", "poker"))


def open_lobby(_: HttpRequest, player: str) -> JsonResponse:
    try:
        game = caller().open_game({"player": {"id": player}}, deadline_ms=5_000)
    except CallerError as error:
        return JsonResponse({"code": error.code}, status=STATUS.get(error.category, 500))
    return JsonResponse({"url": game["url"]})


urlpatterns = [path("players/<player>/lobby", open_lobby)]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
