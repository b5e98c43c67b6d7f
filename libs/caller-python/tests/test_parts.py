"""Unit tests that need no broker."""

from __future__ import annotations

import json
import logging
import pickle
import random
import traceback
import typing
import unittest
from typing import Any

import pika

import poker_bridge
from poker_bridge import CallerError, messages
from poker_bridge.consumer import Delivery
from poker_bridge.replies import Replies, read_reply
from poker_bridge.retries import Retries

BODY = {"code": "OVERLOADED", "category": "unavailable", "retryable": True, "message": "Too much to do."}
WORDS: Any = [
    None, True, False, 0, -1, 7, 2**70, 1.5, "", "x", "c-1", "\ud83d", "command.failed", "report.page", "session.created",
    b"\xff", [], {}, [1], [{}], {"pointer": "", "message": 1}, "2026-03-02T00:00:00.000Z",
]
NAMES = [
    "code", "category", "retryable", "message", "retryAfterMs", "violations", "details", "platform", "occurredAt", "userId",
    "url", "page", "totalCount", "readAt", "records", "readFrom", "readTo", "changedWhileReading",
]


class RetriesTest(unittest.TestCase):
    now = 0.0

    def retries(self, jitter: float = 1) -> Retries:
        return Retries(lambda: self.now, lambda low, high: low + jitter * (high - low))

    def test_waits_for_retry_after_ms_and_jitter_on_top(self) -> None:
        error = CallerError({**BODY, "retryAfterMs": 3_000}, "c-1")
        rows = [(0, 1, 3.0), (1, 1, 3.2), (1, 2, 3.4), (1, 5, 6.2), (1, 9, 8.0), (1, 5_000, 8.0)]
        for jitter, attempts, pause in rows:
            self.assertEqual(self.retries(jitter).pause_s("session.create", error, attempts, 60), pause)

    def test_retries_nothing_that_is_permanent_or_cannot_succeed_before_the_deadline(self) -> None:
        error = CallerError({**BODY, "retryAfterMs": 3_000}, "c-1")
        retries = self.retries()
        permanent = CallerError({**BODY, "retryable": False}, "c-1")
        self.assertIsNone(retries.pause_s("session.create", permanent, 1, 60))
        self.assertIsNone(retries.pause_s("session.create", error, 1, 3.2))
        self.assertIsNotNone(retries.pause_s("session.create", error, 1, 3.3))
        retries.succeeded("session.create", 2)
        retries.succeeded("session.create", 1)
        self.assertIsNone(retries.pause_s("session.create", error, 1, 5))
        self.assertIsNotNone(retries.pause_s("session.create", error, 1, 5.1))
        self.assertIsNotNone(retries.pause_s("game.open", error, 1, 5))

    def test_takes_retries_from_a_budget_that_successes_and_time_refill(self) -> None:
        retries = self.retries()

        def taken(error: CallerError) -> int:
            return sum(retries.pause_s("session.create", error, 1, 60) is not None for _ in range(200))

        overloaded = CallerError(BODY, "c-1")
        self.assertEqual(taken(overloaded), 100)
        self.assertEqual(taken(CallerError.of("REPLY_LOST", "c-1")), 200)
        for _ in range(51):
            retries.succeeded("session.create", 0.1)
        self.assertEqual(taken(overloaded), 10)
        self.now += 7
        self.assertEqual(taken(overloaded), 7)
        self.now += 10_000
        self.assertEqual(taken(overloaded), 100)


class ReaderTest(unittest.TestCase):
    def test_reads_or_refuses_by_name_and_acknowledges_whatever_arrives(self) -> None:
        logging.getLogger("poker_bridge").addHandler(handler := logging.NullHandler())
        self.addCleanup(logging.getLogger("poker_bridge").removeHandler, handler)
        for seed in (48, random.randrange(2**32)):
            rng = random.Random(seed)
            read = 0
            for turn in range(5_000):
                delivery, settled = self.delivery(rng)
                with self.subTest(seed=seed, turn=turn):
                    Replies(None).take(delivery)
                    self.assertEqual(settled, ["basic_ack"])
                    try:
                        reply = read_reply(delivery)
                    except CallerError as error:
                        self.assertEqual(error.code, "REPLY_UNREADABLE")
                        continue
                    read += 1
                    texts = (reply.id, reply.type, reply.command_id, reply.correlation_id)
                    self.assertTrue(all(isinstance(text, str) for text in texts))
                    if reply.type == "command.failed":
                        repr(CallerError(reply.data, reply.command_id))
            self.assertGreater(read, 50)

    def delivery(self, rng: random.Random) -> tuple[Delivery, list[str]]:
        good: dict[str, Any] = {
            **BODY, "occurredAt": "t", "userId": "u", "url": "u", "page": 1, "totalCount": 1, "readAt": "t", "records": [],
            "readFrom": "t", "readTo": "t", "changedWhileReading": False,
        }
        words = [word for word in WORDS if not isinstance(word, bytes)]
        for _ in range(rng.choice((0, 1, 3))):
            good[rng.choice(NAMES)] = rng.choice(words)
        body = bytearray(json.dumps(rng.choice([good] * 9 + words)).encode())
        if rng.random() < 0.2:
            body[rng.randrange(len(body))] = rng.randrange(256)
        elif rng.random() < 0.1:
            body[:] = rng.choice((b"", b"NaN", b"[" * 100_000, b'{"userId":' * 100_000, b"1" * 5_000, b"\xff\xfe{\0}\0"))
        kinds = ["command.failed", "report.page", "report.completed", "session.created", rng.choice(WORDS)]
        headers: Any = {"command-id": "c-1", "sequence": 0, "final": True, "traceparent": "t"}
        if rng.random() < 0.5:
            headers[rng.choice([*headers])] = rng.choice(WORDS)
        if rng.random() < 0.1:
            headers = None
        ids = [rng.choice(["m-1"] * 5 + WORDS) for _ in range(2)]
        properties = pika.BasicProperties(type=rng.choice(kinds), message_id=ids[0], correlation_id=ids[1], headers=headers)
        settled: list[str] = []
        return Delivery(properties, bytes(body), settled.append), settled


class ErrorTest(unittest.TestCase):
    def test_prints_code_message_and_violations(self) -> None:
        error = CallerError.of_invalid("/userId", "must be a string", "c-1")
        text = "VALIDATION_FAILED: The command is not valid; see the violations. /userId must be a string."
        self.assertEqual(repr(error), f"CallerError('{text}', command_id='c-1')")
        again = pickle.loads(pickle.dumps(error))
        for one in (error, again):
            self.assertEqual(str(one), text)
            self.assertIn(text, traceback.format_exception_only(one)[0])
        self.assertEqual((again.violations, again.command_id), (error.violations, "c-1"))

    def test_prints_an_error_whose_optional_members_are_null(self) -> None:
        error = CallerError({**BODY, "violations": None, "details": None, "platform": None}, "c-1")
        self.assertEqual((str(error), error.details), ("OVERLOADED: Too much to do.", {}))


class ExportTest(unittest.TestCase):
    def test_exports_each_type_of_the_messages(self) -> None:
        types = {name for name, value in vars(messages).items() if typing.is_typeddict(value) or name == "ErrorCode"}
        self.assertGreater(len(types), 10)
        self.assertEqual(types - vars(poker_bridge).keys(), set())


if __name__ == "__main__":
    unittest.main()
