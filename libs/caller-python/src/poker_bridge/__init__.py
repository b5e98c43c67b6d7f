"""Sends commands to poker-bridge over RabbitMQ and gives typed replies."""

from .amounts import format_amount
from .caller import Caller
from .cancellation import Cancellation
from .commands import CommandProperties, PreparedCommand
from .errors import CALLER_CODES, CallerCode, CallerError
from .messages import (
    AdHocRecord,
    AdHocReportFetch,
    ErrorCode,
    GameOpen,
    GameOpened,
    GamePlayer,
    GameSession,
    RakeRecord,
    RakeReportFetch,
    ReportCompleted,
    ReportPage,
    SessionCreate,
    SessionCreated,
    Violation,
)
from .replies import Reply
from .report import Report

__all__ = [
    "CALLER_CODES",
    "AdHocRecord",
    "AdHocReportFetch",
    "Caller",
    "CallerCode",
    "CallerError",
    "Cancellation",
    "CommandProperties",
    "ErrorCode",
    "GameOpen",
    "GameOpened",
    "GamePlayer",
    "GameSession",
    "PreparedCommand",
    "RakeRecord",
    "RakeReportFetch",
    "Reply",
    "Report",
    "ReportCompleted",
    "ReportPage",
    "SessionCreate",
    "SessionCreated",
    "Violation",
    "format_amount",
]
