"""Tests of the caller with a real broker, worker and sandbox."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
import time
import unittest
import uuid
from concurrent.futures import CancelledError
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

import pika
from support import (
    DAY, NAME, PATIENT, PREFIX, URL, Proxy, Sandbox, bus, in_threads, nobody, open_caller, taken_from, until, waiting_in,
)

from poker_bridge import AsyncCaller, Caller, CallerError, Cancellation, Reply, format_amount
from poker_bridge.connection import nodes_of

ADDRESSES = Path(__file__).parents[3] / "test/vectors/amqp-addresses.json"
PAGES = 100
TRACEPARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
SLOW = {"kind": "latency", "fixedMs": 1_500, "count": 1}


class CallerTest(unittest.TestCase):
    caller: Caller
    sandbox = Sandbox()

    @classmethod
    def setUpClass(cls) -> None:
        cls.caller = open_caller(send_user_id=True)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.caller.close()
        cls.remove(cls.caller)

    @staticmethod
    def remove(caller: Caller) -> None:
        if caller.reply_queue is not None:
            with bus() as channel:
                channel.queue_delete(caller.reply_queue)

    def open(self, **options: Any) -> Caller:
        caller = open_caller(**options)
        self.addCleanup(self.remove, caller)
        self.addCleanup(caller.close)
        return caller

    def tearDown(self) -> None:
        self.sandbox.clear_faults()

    def failure(self, code: str) -> Any:
        return self.assertRaisesRegex(CallerError, f"^{code}: ")

    def test_creates_sessions_and_opens_games(self) -> None:
        session = self.caller.create_session({"userId": "alice", "lang": "de"})
        self.assertEqual(session["userId"], "alice")
        self.assertIn("lang=de", session["redirectUrl"])
        table: Any = {"player": {"id": "alice"}, "session": {"id": "s-1", "tableId": 7}}
        game = self.caller.open_game(table, deadline_ms=10_000, operator="default")
        self.assertEqual((game["playerId"], game["sessionId"]), ("alice", "s-1"))

    def test_serves_many_threads_at_a_time(self) -> None:
        sessions: list[str] = []

        def create(user_id: str) -> None:
            session = self.caller.create_session({"userId": user_id}, deadline_ms=PATIENT)
            sessions.append(session["userId"])

        wanted = [f"player-{number}" for number in range(50)]
        with in_threads(*(partial(create, user_id) for user_id in wanted)):
            pass
        self.assertEqual(sorted(sessions), sorted(wanted))

    def test_reads_reports_page_by_page_amounts_digit_for_digit(self) -> None:
        self.sandbox.fault(operation="ad-hoc-report", kind="huge-amounts", count=1)
        report = self.caller.fetch_ad_hoc_report({**DAY, "perPage": 150})
        pages = []
        times = []
        for page in report:
            pages.append(page["page"])
            times.append(page["readAt"])
            record = page["records"][0]
            decimal = format_amount(record["rake"], page["precisions"][record["currency"]])
            self.assertEqual(int(decimal.replace(".", "")), record["rake"])
            if page["page"] == 1:
                self.assertTrue(any(one["bets"] > 2**53 for one in page["records"]))
        self.assertEqual(pages, [1, 2])
        assert report.summary is not None
        self.assertEqual((report.summary["pages"], report.summary["records"]), (2, 200))
        self.assertEqual([report.summary["readFrom"], report.summary["readTo"]], times)
        self.assertEqual((report.summary["repeated"], report.summary["missing"]), (0, 0))
        for again in (report.__iter__, report.records):
            with self.assertRaisesRegex(RuntimeError, "read once"):
                again()

    def test_reads_the_records_of_a_report_one_by_one_and_removes_its_queue(self) -> None:
        report = self.caller.fetch_rake_report({**DAY, "perPage": 7})
        ids = {record["id"] for record in report.records()}
        assert report.summary is not None
        self.assertEqual(len(ids), report.summary["records"])
        self.assertGreater(len(ids), 7)
        with self.assertRaises(pika.exceptions.ChannelClosedByBroker):
            until("the queue is gone", lambda: waiting_in(report._queue) > 0)

    def test_says_of_a_report_that_is_sent_again_when_it_was_read_and_whether_it_changed(self) -> None:
        def page(number: int, minute: str, total: int) -> Any:
            about = {"page": number, "pageCount": 2, "perPage": 1, "totalCount": total, "precisions": {}}
            return "report.page", {**about, "readAt": f"2026-03-02T00:{minute}:00.000Z", "records": []}

        failure = {"code": "OVERLOADED", "category": "unavailable", "retryable": True, "message": "", "occurredAt": ""}
        failed = "command.failed", {**failure, "command": {"id": "c-1", "type": "report.rake.fetch"}}
        prefix = f"{PREFIX}-again"
        caller = self.open(prefix=prefix)
        times = {"readFrom": "2026-03-02T00:31:00.000Z", "readTo": "2026-03-02T00:32:00.000Z", "spansIntervals": False}
        for total, says, changed in ((2, False, False), (3, False, True), (2, True, True)):
            counts = {"pages": 2, "records": 0, "totalCount": 2, "changedWhileReading": says}
            report = caller.fetch_rake_report(DAY)
            pages: list[Any] = []
            reading = in_threads(partial(pages.extend, report))
            with nobody(prefix, "report.rake.fetch") as (channel, queue), reading:
                end = "report.completed", {**counts, **times}
                for run in ([page(1, "25", total), failed], [page(1, "31", 2), page(2, "32", 2), end]):
                    _, command, _ = until("it is sent", lambda: taken_from(channel, queue))
                    for sequence, (kind, data) in enumerate(run):
                        headers = {"command-id": command.message_id, "sequence": sequence}
                        properties = pika.BasicProperties(type=kind, message_id=str(sequence), headers=headers)
                        channel.basic_publish("", command.reply_to, json.dumps(data).encode(), properties)
            self.assertEqual([one["readAt"][14:16] for one in pages], ["25", "32"])
            assert report.summary is not None
            self.assertEqual(report.summary["readFrom"], "2026-03-02T00:25:00.000Z")
            self.assertTrue(report.summary["spansIntervals"])
            self.assertEqual(report.summary["changedWhileReading"], changed)

    def test_fails_with_the_code_of_the_worker(self) -> None:
        self.caller.open_game({"player": {"id": "bob", "nick": "Bobby"}})
        with self.failure("NICKNAME_TAKEN") as caught:
            self.caller.open_game({"player": {"id": "carl", "nick": "Bobby"}}, command_id="taken-1")
        error = caught.exception
        self.assertEqual((error.category, error.retryable, error.command_id), ("rejected", False, "taken-1"))
        self.assertEqual(error.platform["status"], 422)

    def test_gives_the_faults_that_the_worker_finds(self) -> None:
        with self.failure("VALIDATION_FAILED") as caught:
            self.caller.create_session({"userId": ""})
        self.assertEqual([one["pointer"] for one in caught.exception.violations], ["/userId"])
        with self.failure("VALIDATION_FAILED"):
            list(self.caller.fetch_rake_report({**DAY, "userId": ""}))
        with self.failure("UNKNOWN_COMMAND"):
            self.caller.request("session.forget", {})

    def test_refuses_before_anything_is_sent_what_cannot_be_sent(self) -> None:
        with Caller("amqp://127.0.0.1:1", NAME, prefix=PREFIX) as offline:
            for command_id in ("", "x" * 201, "\ud83d"):
                with self.failure("VALIDATION_FAILED") as caught:
                    offline.create_session({"userId": "alice"}, command_id=command_id)
                [violation] = caught.exception.violations
                self.assertEqual(violation["pointer"], "/properties/message_id")
            with self.assertRaisesRegex(ValueError, "deadline_ms"):
                offline.create_session({"userId": "alice"}, deadline_ms=0)
            misspelt: Any = {"comand_id": "c-1"}
            for call in (offline.create_session, offline.fetch_rake_report):
                with self.assertRaisesRegex(TypeError, "no such option: comand_id"):
                    call({"userId": "alice"}, **misspelt)
            with self.assertRaises(ValueError):
                offline.request("session.create", {"userId": float("nan")})

    def test_sends_again_under_the_same_id_what_is_retryable(self) -> None:
        self.sandbox.fault(operation="session", kind="status", status=503, count=2)
        before = self.sandbox.received("session")
        session = self.caller.create_session({"userId": "alice"}, deadline_ms=PATIENT)
        self.assertEqual(session["userId"], "alice")
        self.assertEqual(self.sandbox.received("session") - before, 3)

    def test_waits_as_long_as_the_worker_asks_before_a_retry(self) -> None:
        self.sandbox.fault(operation="session", kind="status", status=503, retryAfter="2", count=1)
        began = time.monotonic()
        self.caller.create_session({"userId": "alice"}, deadline_ms=PATIENT)
        self.assertGreaterEqual(time.monotonic() - began, 2)

    def test_fails_the_call_of_an_unreadable_reply_and_no_other(self) -> None:
        failure = {"code": "", "category": "", "retryable": False, "message": "", "occurredAt": ""}
        rows: Any = [
            ({"sequence": "x"}, b"{}"),
            ({}, b"[" * 100_000),
            ({}, b'{"userId":"\xff"}'),
            ({}, json.dumps({**failure, "retryAfterMs": "soon"}).encode()),
            ({}, b"null"),
            ({"sequence": "y"}, b"{}"),
        ]
        nested: Any = []
        for _ in range(2_000):
            nested = [nested]
        deep = pika.BasicProperties(headers={"nested": nested})
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(10_000)
        encoded = deep.encode()
        sys.setrecursionlimit(limit)
        deep.encode = lambda: encoded
        prefix = f"{PREFIX}-odd"
        codes: list[str] = []
        caller = self.open(prefix=prefix)

        def create() -> None:
            try:
                codes.append(caller.create_session({"userId": "alice"}, deadline_ms=60_000)["userId"])
            except CallerError as error:
                codes.append(error.code)

        with nobody(prefix, "session.create") as (channel, queue), self.assertLogs("poker_bridge", "WARNING") as logged:
            for headers, body in [*rows, ({"final": True}, b'{"userId":"alice"}')]:
                with in_threads(create):
                    _, command, _ = until("it is sent", lambda: taken_from(channel, queue))
                    kind = "command.failed" if b"retryAfterMs" in body else "session.created"
                    named = {**headers, "command-id": command.message_id}
                    properties = pika.BasicProperties(type=kind, message_id="m", headers=named)
                    if headers.get("sequence") == "y":
                        # pika cannot decode these headers, so the command of the message is unknown.
                        channel.basic_publish("", command.reply_to, b"{}", deep)
                    channel.basic_publish("", command.reply_to, body, properties)
        self.assertEqual(codes, ["REPLY_UNREADABLE"] * len(rows) + ["alice"])
        self.assertEqual(len(logged.output), len(rows) + 1)
        self.assertEqual(logged.output[-2], "WARNING:poker_bridge:unreadable reply discarded; command id ''")
        # After a lost connection the broker would have redelivered these messages.
        until("none is left", lambda: waiting_in(caller.reply_queue) == 0)

    def test_awaits_calls_and_reports_without_threads_of_the_program(self) -> None:
        caller = self.open()
        calls = AsyncCaller(caller)

        async def use() -> tuple[Any, list[threading.Thread], list[int]]:
            await calls.ready()
            before = threading.enumerate()
            users = [calls.create_session({"userId": f"player-{number}"}) for number in range(30)]
            sessions = await asyncio.gather(calls.open_game({"player": {"id": "alice"}}), *users)
            report = caller.fetch_ad_hoc_report({**DAY, "perPage": 50})
            pages = [page["page"] async for page in calls.pages(report)]
            await calls.publish(caller.prepare("session.create", {"userId": "alice"}))
            started = [one for one in threading.enumerate() if one not in before and one.name.startswith("asyncio_")]
            return sessions, started, pages

        sessions, started, pages = asyncio.run(use())
        self.assertEqual(sessions[0]["playerId"], "alice")
        self.assertEqual([one["userId"] for one in sessions[1:]], [f"player-{number}" for number in range(30)])
        self.assertEqual((started, pages), ([], [1, 2, 3, 4]))

    def test_ends_awaited_calls_at_the_deadline_and_at_once_when_cancelled_or_closed(self) -> None:
        silent = f"{PREFIX}-awaited"
        with nobody(silent, "session.create"):
            caller = self.open(prefix=silent)
            calls = AsyncCaller(caller)

            async def use() -> list[Any]:
                await calls.ready()
                cancellation = Cancellation()
                create = partial(calls.create_session, {"userId": "alice"})
                waiting = [create(deadline_ms=PATIENT) for _ in range(40)]
                late = asyncio.create_task(create(deadline_ms=500))
                told = asyncio.create_task(create(deadline_ms=PATIENT, cancellation=cancellation))
                tasks = [asyncio.create_task(one) for one in waiting]
                await asyncio.wait((late,))
                cancellation.cancel()
                await asyncio.wait((told,))
                for task in tasks[1:]:
                    task.cancel()
                await asyncio.wait(tasks[1:])
                until("the calls have ended", lambda: len(caller._bus.replies._awaited) == 1)
                caller.close()
                return await asyncio.gather(late, told, *tasks, return_exceptions=True)

            began = time.monotonic()
            [late, told, closed, *cancelled] = asyncio.run(use())
            self.assertLess(time.monotonic() - began, 30)
        self.assertEqual((late.code, closed.code), ("NO_REPLY", "CALLER_CLOSED"))
        self.assertIsInstance(told, CancelledError)
        self.assertEqual({type(one) for one in cancelled}, {asyncio.CancelledError})

    def test_slows_the_worker_down_while_a_page_is_read(self) -> None:
        before = self.sandbox.received("ad-hoc-report")

        def received() -> int:
            return self.sandbox.received("ad-hoc-report") - before

        def has_stopped() -> bool:
            so_far = received()
            time.sleep(1)
            return so_far > 16 and so_far == received()

        report = self.caller.fetch_ad_hoc_report({**DAY, "perPage": 200 // PAGES}, deadline_ms=PATIENT)
        pages = []
        for page in report:
            pages.append(page["page"])
            if len(pages) == 1:
                until("the worker waits", has_stopped)
                # Four prefetched here, 16 queued at the broker, and those the worker has taken.
                self.assertLess(received(), 40)
        self.assertEqual(pages, list(range(1, PAGES + 1)))

    def test_cancels_a_report_whose_loop_is_left_and_one_whose_caller_is_closed(self) -> None:
        for leave in (lambda caller: None, lambda caller: caller.close()):
            caller = self.open()
            report = caller.fetch_ad_hoc_report({**DAY, "perPage": 1}, deadline_ms=PATIENT)
            for page in report:
                self.assertEqual(page["page"], 1)
                leave(caller)
                break
            with self.assertRaises(pika.exceptions.ChannelClosedByBroker):
                waiting_in(report._queue)

    def test_asks_the_worker_to_cancel_a_report_with_its_queue_however_it_is_read(self) -> None:
        prefix = f"{PREFIX}-left"
        caller = self.open(prefix=prefix)

        async def read() -> None:
            async for _ in AsyncCaller(caller).pages(caller.fetch_rake_report(DAY, deadline_ms=500)):
                pass

        with nobody(prefix, "report.rake.fetch") as (channel, queue):
            for reading in (lambda: list(caller.fetch_rake_report(DAY, deadline_ms=500)), lambda: asyncio.run(read())):
                with self.failure("NO_REPLY"):
                    reading()
                _, command, _ = taken_from(channel, queue)
                self.assertIs(command.headers["x-cancel-with-queue"], True)

    def test_finds_replies_to_what_was_sent_before_a_restart(self) -> None:
        none: list[Reply] = []
        trace = {"traceparent": TRACEPARENT}
        first = self.open(instance="restarted", on_reply=none.append, trace_context=lambda: trace)
        self.sandbox.fault(operation="session", **SLOW)
        command = json.loads(json.dumps(first.prepare("session.create", {"userId": "dora"})))
        first.publish(command)
        first.close()
        until("the reply waits", lambda: waiting_in(first.reply_queue) == 1)
        replies: list[Reply] = []
        second = self.open(instance="restarted", on_reply=replies.append)
        self.assertEqual(second.reply_queue, first.reply_queue)
        until("the reply is handled", lambda: replies)
        [reply] = replies
        self.assertEqual((reply.type, reply.command_id), ("session.created", command["id"]))
        self.assertEqual((reply.data["userId"], reply.traceparent), ("dora", TRACEPARENT))
        self.assertEqual(none, [])

    def test_hands_a_reply_that_is_repeated_to_the_handler_once_and_again_if_it_fails(self) -> None:
        replies: list[str] = []

        def keep(reply: Reply) -> None:
            replies.append(reply.id.split(" ")[0])
            if replies == ["c-1:0"]:
                raise OSError("the database is away")

        def send() -> None:
            with bus() as channel:
                for message_id in ("c-1:0", "c-1:1", "c-1:1", "c-1:0", "last"):
                    headers = {"command-id": "c-1", "sequence": 0, "final": True}
                    properties = pika.BasicProperties(type="session.created", message_id=message_id, headers=headers)
                    channel.basic_publish("", inbox.reply_queue, b'{"userId":"p-1"}', properties)

        inbox = self.open(on_reply=keep)
        # The queue exists once a call has been answered.
        inbox.create_session({"userId": "alice"})
        with self.assertLogs("poker_bridge", "WARNING") as logged:
            send()
            until("all are handled", lambda: len(replies) == 4)
        self.assertEqual(sorted(replies), ["c-1:0", "c-1:0", "c-1:1", "last"])
        line = "WARNING:poker_bridge:on_reply failed with OSError; the reply comes again"
        self.assertEqual(logged.output, [line])

    def test_reconnects_without_losing_what_is_awaited_and_without_a_second_call(self) -> None:
        proxy = Proxy()
        cut = self.open(url=["amqp://127.0.0.1:1", proxy.url])
        cut.create_session({"userId": "erna"}, deadline_ms=PATIENT)
        before = self.sandbox.received("session")
        self.sandbox.fault(operation="session", **SLOW)
        sessions: list[str] = []

        create = lambda: cut.create_session({"userId": "erna"}, deadline_ms=PATIENT)
        with in_threads(lambda: sessions.append(create()["userId"])):
            until("the platform is called", lambda: self.sandbox.received("session") > before)
            proxy.cut()
        self.assertEqual(sessions, ["erna"])
        self.assertEqual(self.sandbox.received("session") - before, 1)

        pages = []
        for page in cut.fetch_ad_hoc_report({**DAY, "perPage": 10}, deadline_ms=PATIENT):
            pages.append(page["page"])
            if page["page"] == 5:
                proxy.cut()
        self.assertEqual(pages, list(range(1, 21)))

    def test_answers_heartbeats_while_the_program_computes_or_sleeps(self) -> None:
        proxy = Proxy()
        caller = self.open(url=f"{proxy.url}?heartbeat=1")
        caller.create_session({"userId": "alice"}, deadline_ms=PATIENT)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            sum(number * number for number in range(1_000))
        # The broker drops a connection that is silent for twice the heartbeat interval.
        time.sleep(3)
        caller.create_session({"userId": "alice"}, deadline_ms=PATIENT)
        self.assertEqual(proxy.connections, 2)

    def test_ends_a_call_at_its_deadline_and_when_it_is_closed(self) -> None:
        silent = f"{PREFIX}-silent"
        with nobody(silent, "session.create"):
            nobody_answers = self.open(prefix=silent)
            nobody_answers.ready()
            with self.failure("NO_REPLY") as caught:
                nobody_answers.create_session({"userId": "alice"}, deadline_ms=1_000)
            self.assertTrue(caught.exception.retryable)
            self.assertIn(f"Is {silent}.interactive served?", str(caught.exception))
            loop = nobody_answers._bus._loop
            wake = loop.call_soon_threadsafe

            def wake_slowly(*args: Any, **options: Any) -> Any:
                handle = wake(*args, **options)
                time.sleep(0.2)  # As on a busy machine: the loop ends the call before the closing thread continues
                return handle

            timer = threading.Timer(0.5, nobody_answers.close)
            timer.start()
            with self.failure("CALLER_CLOSED"), patch.object(loop, "call_soon_threadsafe", wake_slowly):
                nobody_answers.create_session({"userId": "alice"}, deadline_ms=PATIENT)
            timer.join()
        with self.failure("CALLER_CLOSED"):
            nobody_answers.create_session({"userId": "alice"}, deadline_ms=PATIENT)
        with Caller("amqp://127.0.0.1:1", NAME, prefix=PREFIX) as offline:
            with self.failure("NOT_SENT") as caught:
                offline.create_session({"userId": "alice"}, deadline_ms=1_000)
            with self.failure("NOT_CONNECTED"):
                offline.ready(deadline_ms=100)
        self.assertIn("Connection refused", str(caught.exception))

    def test_ends_calls_that_are_cancelled_and_no_other(self) -> None:
        self.sandbox.fault(operation="session", kind="latency", fixedMs=3_000, count=2)
        before = self.sandbox.received("session")
        cancellation = Cancellation()
        ended: list[float] = []
        kept: list[str] = []

        def cancelled() -> None:
            with self.assertRaises(CancelledError):
                self.caller.create_session({"userId": "alice"}, deadline_ms=PATIENT, cancellation=cancellation)
            ended.append(time.monotonic())

        def uncancelled() -> None:
            kept.append(self.caller.create_session({"userId": "bert"}, deadline_ms=PATIENT)["userId"])

        with in_threads(cancelled, uncancelled):
            until("both are at the platform", lambda: self.sandbox.received("session") - before == 2)
            cancellation.cancel()
            cancelled_at = time.monotonic()
        self.assertLess(ended[0] - cancelled_at, 1)
        self.assertEqual(kept, ["bert"])
        with self.assertRaises(CancelledError):
            self.caller.open_game({"player": {"id": "alice"}}, cancellation=cancellation)
        with self.assertRaises(CancelledError):
            prepared = self.caller.prepare("session.create", {"userId": "a"})
            self.caller.publish(prepared, cancellation=cancellation)
        self.assertEqual(self.sandbox.received("session") - before, 2)

    def test_ends_the_pause_before_a_further_try_if_a_signal_cancels_it(self) -> None:
        self.sandbox.fault(operation="session", kind="status", status=503, retryAfter="30")
        cancellation = Cancellation()
        handler = signal.signal(signal.SIGALRM, lambda *_: cancellation.cancel())
        self.addCleanup(signal.signal, signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 1)
        began = time.monotonic()
        with self.assertRaises(CancelledError):
            self.caller.create_session({"userId": "alice"}, deadline_ms=PATIENT, cancellation=cancellation)
        self.assertLess(time.monotonic() - began, 10)

    def test_ends_a_report_that_is_cancelled_and_the_worker_stops(self) -> None:
        cancellation = Cancellation()
        report = self.caller.fetch_ad_hoc_report(
            {**DAY, "perPage": 200 // PAGES}, deadline_ms=PATIENT, cancellation=cancellation
        )
        pages = []
        with self.assertRaises(CancelledError):
            for page in report:
                pages.append(page["page"])
                if len(pages) == 2:
                    cancellation.cancel()
        self.assertEqual(pages, [1, 2])

        def is_deleted() -> bool:
            try:
                return waiting_in(report._queue) < 0
            except pika.exceptions.ChannelClosedByBroker:
                return True

        until("the queue is deleted", is_deleted)

    def test_says_at_once_that_nobody_is_bound_or_that_the_broker_refuses_the_command(self) -> None:
        empty = f"{PREFIX}-empty"
        with nobody(empty, None):
            for prefix in (f"{PREFIX}-none", empty):
                lost = self.open(prefix=prefix)
                with self.failure("NO_WORKER"):
                    lost.create_session({"userId": "alice"}, deadline_ms=PATIENT)
                with self.failure("NO_WORKER"):
                    list(lost.fetch_rake_report(DAY, deadline_ms=PATIENT))
        forged = self.caller.prepare("session.create", {"userId": "alice"})
        forged["properties"]["userId"] = "somebody"
        with self.failure("NOT_PERMITTED"):
            self.caller.publish(forged, deadline_ms=PATIENT)

    def test_sends_one_request_for_calls_of_the_same_command_and_id(self) -> None:
        self.sandbox.fault(operation="session", kind="latency", fixedMs=4_000, count=1)
        before = self.sandbox.received("session")
        options: Any = {"command_id": str(uuid.uuid4()), "deadline_ms": PATIENT}
        ace = {"userId": "alice", "nick": "Ace"}

        async def use() -> list[Any]:
            calls = AsyncCaller(self.caller)
            return await asyncio.gather(
                calls.request("session.create", ace, **options),
                calls.request("session.create", {"nick": "Ace", "userId": "alice"}, **options),
                calls.request("session.create", {"userId": "bob"}, **options),
                calls.request("game.open", ace, **options),
                calls.request("session.create", ace, **{**options, "operator": "acme"}),
                calls.request("session.create", ace, **{**options, "deadline_ms": 1_000}),
                return_exceptions=True,
            )

        first, second, *others = asyncio.run(use())
        self.assertEqual((first["userId"], second), ("alice", first))
        self.assertIsNot(second, first)
        codes = [error.code for error in others]
        self.assertEqual(codes, ["IDEMPOTENCY_CONFLICT", "IDEMPOTENCY_CONFLICT", "ID_IN_USE", "NO_REPLY"])
        self.assertEqual(self.sandbox.received("session") - before, 1)

    def test_continues_the_other_calls_of_an_id_if_the_call_that_sent_it_gives_up(self) -> None:
        expired = {
            "code": "COMMAND_EXPIRED", "category": "expired", "retryable": False, "message": "", "occurredAt": "",
            "details": {"called": False},
        }
        for number, end in enumerate(("cancelled", "NO_REPLY", "COMMAND_EXPIRED")):
            prefix = f"{PREFIX}-joined-{number}"
            caller = self.open(prefix=prefix)
            # With such a duration of recent calls, a failure of the second call itself is not retried.
            caller._bus.retries.succeeded("session.create", 2 * PATIENT)
            calls = AsyncCaller(caller)

            async def use(channel: Any, queue: str) -> Any:
                create = partial(calls.create_session, {"userId": "alice"}, command_id="joined")

                def reply(command: Any, kind: str, data: object) -> None:
                    headers = {"command-id": "joined", "final": True}
                    properties = pika.BasicProperties(type=kind, message_id="m", headers=headers)
                    channel.basic_publish("", command.reply_to, json.dumps(data).encode(), properties)

                await calls.ready()
                first = asyncio.create_task(create(deadline_ms=3_000 if end == "NO_REPLY" else PATIENT))
                await asyncio.sleep(0)
                second = asyncio.create_task(create(deadline_ms=PATIENT))
                await asyncio.sleep(0)
                _, command, _ = until("it is sent", lambda: taken_from(channel, queue))
                if end == "cancelled":
                    first.cancel()
                if end == "COMMAND_EXPIRED":
                    reply(command, "command.failed", expired)
                ended = await asyncio.gather(first, return_exceptions=True)
                _, again, _ = until("it is sent again", lambda: taken_from(channel, queue))
                reply(again, "session.created", {"userId": "alice"})
                return ended[0], await second

            with self.subTest(end), nobody(prefix, "session.create") as (channel, queue):
                ended, session = asyncio.run(use(channel, queue))
                self.assertEqual(getattr(ended, "code", "cancelled"), end)
                self.assertEqual(session["userId"], "alice")

    def test_leaves_no_thread_behind(self) -> None:
        before = threading.active_count()
        with self.open(on_reply=print) as caller:
            caller.create_session({"userId": "alice"})
        until("they have ended", lambda: threading.active_count() == before)

    def test_refuses_a_second_process_of_the_same_instance_until_the_first_has_gone(self) -> None:
        first = self.open(instance="one")
        first.ready()
        second = self.open(instance="one")
        for call in (second.ready, lambda: second.create_session({"userId": "alice"}, deadline_ms=PATIENT)):
            with self.failure("INSTANCE_TAKEN") as caught:
                call()
            self.assertIn(f"{NAME}.replies.one", str(caught.exception))
            self.assertEqual((caught.exception.category, caught.exception.retryable), ("misconfigured", False))
        first.create_session({"userId": "alice"})
        first.close()

        until("the second has taken its place", lambda: second.last_error is None)
        second.ready()

    def test_gives_each_process_the_lowest_number_that_is_free(self) -> None:
        name = f"{NAME}-{uuid.uuid4()}"
        callers = [self.open(name=name, instance=None) for _ in range(3)]
        for caller in callers:
            caller.ready()
        numbers = [f"{name}.replies.{number}" for number in range(3)]
        self.assertEqual(sorted(caller.reply_queue or "" for caller in callers), numbers)
        left = callers[1].reply_queue
        callers[1].close()

        def is_given_again() -> bool:
            with self.open(name=name, instance=None) as next_one:
                next_one.ready()
                return next_one.reply_queue == left

        until("the number is given again", is_given_again)

    def test_moves_to_another_queue_if_its_own_was_taken_while_it_was_away(self) -> None:
        proxy = Proxy()
        caller = self.open(url=proxy.url, name=f"{NAME}-{uuid.uuid4()}", instance=None)
        caller.ready()
        lock = f"{caller.reply_queue}.lock"
        before = self.sandbox.received("session")
        self.sandbox.fault(operation="session", **SLOW)
        sessions: list[str] = []
        call = lambda: caller.create_session({"userId": "erna"}, deadline_ms=PATIENT)
        with bus() as channel, in_threads(lambda: sessions.append(call()["userId"])):
            until("the platform is called", lambda: self.sandbox.received("session") > before)
            proxy.is_held = True
            proxy.cut()

            def is_locked() -> bool:
                try:
                    channel.connection.channel().queue_declare(lock, exclusive=True)
                except pika.exceptions.ChannelClosedByBroker:
                    return False
                return True

            until("somebody else holds the lock", is_locked)
            proxy.is_held = False
        self.assertEqual((sessions, self.sandbox.received("session") - before), (["erna"], 1))
        self.assertTrue((caller.reply_queue or "").endswith(".replies.1"))

    def test_says_at_once_that_the_login_is_refused(self) -> None:
        parts = urlsplit(URL)
        host = parts.netloc.rpartition("@")[2]
        for url, text in (
            (f"amqp://guest:wrong@{host}", "Login was refused"),
            (f"amqp://guest:guest@{host}/none", "vhost none not found"),
        ):
            refused = self.open(url=url)
            for call in (refused.ready, lambda: refused.create_session({"userId": "alice"}, deadline_ms=PATIENT)):
                with self.failure("LOGIN_REFUSED") as caught:
                    call()
                self.assertIn(text, str(caught.exception))
                self.assertNotIn("wrong", str(caught.exception))
                self.assertFalse(caught.exception.retryable)

    def test_fails_alone_what_the_broker_refuses_or_amqp_cannot_hold(self) -> None:
        self.caller.ready()
        good = [self.caller.prepare("session.create", {"userId": f"p-{number}"}) for number in range(40)]
        bad = [self.caller.prepare("session.create", {"userId": "bad"}) for _ in range(6)]
        bad[0]["properties"]["userId"] = bad[3]["properties"]["userId"] = "somebody"
        bad[1]["exchange"] = f"{PREFIX}.none"
        bad[2]["properties"]["correlationId"] = "\ud83d"
        bad[4]["properties"]["messageId"] = "x" * 256
        bad[5]["properties"]["headers"]["operator"] = "\ud83d"
        codes: list[str] = []

        def publish(command: Any) -> None:
            try:
                self.caller.publish(command, deadline_ms=PATIENT)
            except CallerError as error:
                codes.append(error.code)
            else:
                codes.append("sent")

        mixed = [one for number, one in enumerate(good) for one in [one, *bad[number : number + 1]]]
        with self.assertNoLogs("poker_bridge"), in_threads(*(partial(publish, command) for command in mixed)):
            pass
        refused = ["NOT_PERMITTED"] * 2 + ["NO_WORKER"] + ["VALIDATION_FAILED"] * 3
        self.assertEqual(sorted(codes), sorted(refused + ["sent"] * 40))

    def test_names_the_moment_at_which_a_command_was_sent(self) -> None:
        silent = f"{PREFIX}-timed"
        with nobody(silent, "session.create") as (channel, queue):
            caller = self.open(prefix=silent)
            caller.publish(caller.prepare("session.create", {"userId": "alice"}))
            _, properties, _ = taken_from(channel, queue)
            self.assertLess(abs(properties.timestamp - time.time()), 5)

    def test_refuses_to_be_used_after_a_fork(self) -> None:
        is_over = threading.Event()

        def call() -> None:
            while not is_over.is_set():
                self.caller.create_session({"userId": "alice"})

        def fork() -> int:
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    signal.alarm(60)
                    self.caller.close()
                    self.caller.create_session({"userId": "alice"})
                except RuntimeError:
                    code = 0
                finally:
                    os._exit(code)
            return os.waitpid(child, 0)[1]

        with in_threads(call, call):
            exits = [fork() for _ in range(50)]
            is_over.set()
        self.assertEqual(exits, [0] * 50)


class AddressTest(unittest.TestCase):
    def test_names_an_http_server_at_the_address(self) -> None:
        class Closing(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                if self.rfile.peek(4).startswith(b"GET"):
                    self.wfile.write(b"HTTP/1.0 400 Bad Request\r\n\r\n")
                self.close_connection = True

        for handler in (Closing, BaseHTTPRequestHandler):  # The latter waits for the end of a line.
            with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
                server.daemon_threads = True
                threading.Thread(target=server.serve_forever, daemon=True).start()
                with Caller(f"amqp://127.0.0.1:{server.server_port}", NAME) as caller, self.subTest(handler):
                    fault = f"an HTTP server answers at 127.0.0.1:{server.server_port}; AMQP is usually on port 5672"
                    until("it is named", lambda: caller.last_error == fault)
                server.shutdown()

    def test_reads_an_address_as_the_client_of_node_js_does(self) -> None:
        for row in json.loads(ADDRESSES.read_text("utf-8")):
            url = row["address"].replace("HOST", "broker.example")
            with self.subTest(url):
                if "fault" in row:
                    with self.assertRaisesRegex(ValueError, f"^url must (?!.*CANARY).*{row['fault']}"):
                        nodes_of(url, "shop", None)
                    continue
                [node] = nodes_of(url, "shop", None)
                read = (node.credentials.username, node.credentials.password, node.virtual_host)
                self.assertEqual(read, (row["user"], row["password"], row["virtualHost"]))

    def test_refuses_names_that_cannot_be_used(self) -> None:
        for options in ({"name": ""}, {"name": "shop", "instance": ""}, {"name": "poker"}):
            with self.assertRaises(ValueError):
                Caller("amqp://127.0.0.1:1", **options)


class AmountTest(unittest.TestCase):
    def test_writes_amounts_digit_for_digit(self) -> None:
        rows = [
            (28_831, 2, "288.31"),
            (28_831, 0, "28831"),
            (-5, 2, "-0.05"),
            (0, 8, "0.00000000"),
            (2**63 + 1, 4, "922337203685477.5809"),
        ]
        for amount, precision, text in rows:
            self.assertEqual(format_amount(amount, precision), text)
        for unknown in (None, -1, True):
            with self.assertRaises(ValueError):
                format_amount(1, unknown)


if __name__ == "__main__":
    unittest.main()
