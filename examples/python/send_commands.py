"""Sends two commands to poker-bridge: opens the lobby for a player, and reads a report page by page.

    pip install pika                      # on Debian and Ubuntu: apt install python3-pika
    AMQP_URL=amqp://guest:guest@127.0.0.1:5672 python3 send_commands.py
"""

import json
import os
import sys
import time
import uuid

import pika

COMMANDS = os.environ.get("AMQP_PREFIX", "poker") + ".commands"
TIMEOUT_S = 15


class CommandFailed(Exception):
    """The final reply was command.failed; `error` is its body."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.error = error


class PokerBridge:
    def __init__(self, url):
        self.connection = pika.BlockingConnection(pika.URLParameters(url))
        self.channel = self.connection.channel()
        self.channel.confirm_delivery()
        # Gone with this connection. A durable queue of your own keeps replies while you are away.
        self.reply_queue = self.channel.queue_declare("", exclusive=True).method.queue

    def send(self, command_type, data, command_id=None):
        """Publishes one command and yields (type, body) of each reply, the final one last.

        The same command_id is the same command: send it again after a failure that is retryable.
        """
        command_id = command_id or str(uuid.uuid4())
        deadline = time.time() + TIMEOUT_S
        properties = pika.BasicProperties(
            message_id=command_id,
            correlation_id=command_id,
            reply_to=self.reply_queue,
            content_type="application/json",
            delivery_mode=2,
            headers={"x-deadline": int(deadline * 1000)},
        )
        self._publish(command_type, data, properties)
        yield from self._replies(command_id, deadline)

    def _publish(self, command_type, data, properties):
        """Returns when the broker has it; raises if it refuses it."""
        body = json.dumps(data)
        try:
            self.channel.basic_publish(COMMANDS, command_type, body, properties)
        except pika.exceptions.NackError:
            # A channel can stay refused after a node has died: a refusal is retried on a fresh one.
            fresh = self.connection.channel()
            fresh.confirm_delivery()
            fresh.basic_publish(COMMANDS, command_type, body, properties)
            fresh.close()

    def _replies(self, command_id, deadline):
        seen = set()
        try:
            # A command is answered no later than one second after its deadline.
            for method, properties, body in self.channel.consume(self.reply_queue, inactivity_timeout=1):
                if method is None:
                    if time.time() > deadline + 2:
                        raise TimeoutError(f"no final reply to {command_id}; is a worker running?")
                    continue
                self.channel.basic_ack(method.delivery_tag)
                # Over a redelivery a reply may come again, under the same id and type.
                key = (properties.message_id, properties.type)
                if properties.correlation_id != command_id or key in seen:
                    continue
                seen.add(key)
                reply = json.loads(body)
                if properties.type == "command.failed":
                    raise CommandFailed(reply)
                yield properties.type, reply
                if properties.headers["final"]:
                    return
        finally:
            self.channel.cancel()

    def close(self):
        self.connection.close()


def main():
    poker = PokerBridge(os.environ["AMQP_URL"])
    try:
        lobby = {"player": {"id": "player-1"}, "session": {"lang": "en"}}
        for _, game in poker.send("game.open", lobby):
            print("lobby:", game["url"])

        period = {"dateFrom": "2026-03-01 00:00:00", "dateTo": "2026-03-02 00:00:00", "perPage": 200}
        for reply_type, report in poker.send("report.rake.fetch", period):
            if reply_type == "report.page":
                print(f"page {report['page']} of {report['pageCount']}: {len(report['records'])} records")
            else:
                print(f"complete: {report['records']} records")
    except CommandFailed as failure:
        sys.exit(str(failure))
    finally:
        poker.close()


if __name__ == "__main__":
    main()
