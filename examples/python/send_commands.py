"""Sends two commands to poker-bridge: opens the lobby for a player, and reads a report page by page.

    pip install <the wheel of libs/caller-python>
    AMQP_URL=amqp://guest:guest@127.0.0.1:5672 python3 send_commands.py
"""

import os
import sys

from poker_bridge import Caller, CallerError


def main() -> None:
    prefix = os.environ.get("AMQP_PREFIX", "poker")
    with Caller(os.environ["AMQP_URL"], "example-python", prefix=prefix) as caller:
        game = caller.open_game({"player": {"id": "player-1"}, "session": {"lang": "en"}})
        print("lobby:", game["url"])

        report = caller.fetch_rake_report(
            {"dateFrom": "2026-03-01 00:00:00", "dateTo": "2026-03-02 00:00:00", "perPage": 200}
        )
        for page in report:
            print(f"page {page['page']} of {page['pageCount']}: {len(page['records'])} records")
        print(f"complete: {report.summary['records']} records")


if __name__ == "__main__":
    try:
        main()
    except CallerError as error:
        sys.exit(str(error))
