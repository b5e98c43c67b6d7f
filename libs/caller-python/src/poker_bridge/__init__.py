"""Sends commands to poker-bridge over RabbitMQ and gives typed replies."""

from .caller import Caller as Caller
from .caller import CallOptions as CallOptions
from .cancellation import Cancellation as Cancellation
from .commands import PreparedCommand as PreparedCommand
from .errors import CALLER_CODES as CALLER_CODES
from .errors import CallerCode as CallerCode
from .errors import CallerError as CallerError
from .errors import Category as Category
from .messages import AdHocRecord as AdHocRecord
from .messages import AdHocReportFetch as AdHocReportFetch
from .messages import ErrorBody as ErrorBody
from .messages import ErrorCode as ErrorCode
from .messages import GameOpen as GameOpen
from .messages import GameOpened as GameOpened
from .messages import GamePlayer as GamePlayer
from .messages import GameSession as GameSession
from .messages import RakeRecord as RakeRecord
from .messages import RakeReportFetch as RakeReportFetch
from .messages import ReportCompleted as ReportCompleted
from .messages import ReportPage as ReportPage
from .messages import SessionCreate as SessionCreate
from .messages import SessionCreated as SessionCreated
from .messages import Violation as Violation
from .replies import Reply as Reply
from .report import Report as Report
from .report import format_amount as format_amount
