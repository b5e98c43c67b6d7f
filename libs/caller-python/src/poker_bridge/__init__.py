"""Sends commands to poker-bridge over RabbitMQ and gives typed replies."""

from .caller import Caller as Caller, CallOptions as CallOptions
from .cancellation import Cancellation as Cancellation
from .commands import PreparedCommand as PreparedCommand
from .errors import CALLER_CODES as CALLER_CODES, CallerCode as CallerCode
from .errors import CallerError as CallerError, Category as Category
from .messages import (
    AdHocRecord as AdHocRecord, AdHocReportFetch as AdHocReportFetch, ErrorCode as ErrorCode, GameOpen as GameOpen,
    GameOpened as GameOpened, GamePlayer as GamePlayer, GameSession as GameSession, RakeRecord as RakeRecord,
    RakeReportFetch as RakeReportFetch, ReportCompleted as ReportCompleted, ReportPage as ReportPage,
    SessionCreate as SessionCreate, SessionCreated as SessionCreated, Violation as Violation,
)
from .replies import Reply as Reply
from .report import Report as Report, format_amount as format_amount
