"""Sends commands to poker-bridge over RabbitMQ and returns typed replies."""

from .aio import AsyncCaller as AsyncCaller
from .caller import CallOptions as CallOptions
from .caller import Caller as Caller
from .cancellation import Cancellation as Cancellation
from .commands import PreparedCommand as PreparedCommand
from .errors import CALLER_CODES as CALLER_CODES
from .errors import CallerCode as CallerCode
from .errors import CallerError as CallerError
from .errors import Category as Category
from .messages import *  # The names in its __all__, which is generated
from .replies import Reply as Reply
from .report import Report as Report
from .report import format_amount as format_amount
