"""The messages of the contract, written by `npm run contract`."""

from __future__ import annotations

from typing import Any, Generic, Literal, NotRequired, TypedDict, TypeVar

__all__ = [
    "AdHocRecord", "AdHocReportFetch", "ErrorBody", "ErrorCode", "ErrorDetails", "FailedCommand", "GameOpen",
    "GameOpened", "GamePlayer", "GameSession", "PlatformAnswer", "PlatformErrorEntry", "RakeRecord",
    "RakeReportFetch", "RecordFault", "ReportCompleted", "ReportPage", "SessionCreate", "SessionCreated",
    "Violation",
]

Record = TypeVar("Record")

ErrorCode = Literal[
    "MALFORMED_MESSAGE", "MESSAGE_TOO_LARGE", "UNKNOWN_COMMAND", "UNSUPPORTED_VERSION", "VALIDATION_FAILED",
    "UNKNOWN_OPERATOR", "REPLY_TO_MISSING", "REPLY_TO_FORBIDDEN", "CALLER_FORBIDDEN", "IDEMPOTENCY_CONFLICT",
    "COMMAND_EXPIRED", "REPLY_QUEUE_FULL", "SIGNATURE_REJECTED", "SECRET_KEY_MISSING", "FORBIDDEN",
    "UNEXPECTED_REDIRECT", "BAD_REQUEST", "PLAYER_NOT_FOUND", "NOT_FOUND", "AUTH_TYPE_INVALID",
    "CURRENCY_REQUIRED", "CURRENCY_NOT_FOUND", "CURRENCY_INACTIVE", "NICKNAME_TAKEN", "NICKNAME_TOO_LONG",
    "INCORRECT_DATA", "RATE_LIMITED", "PLATFORM_UNAVAILABLE", "CIRCUIT_OPEN", "OVERLOADED", "OUTCOME_UNKNOWN",
    "PLATFORM_PROTOCOL_ERROR", "POISON_COMMAND", "INTERNAL_ERROR",
]


class SessionCreate(TypedDict):
    """A session for a player, with the URL that opens the lobby."""
    userId: str  # The player
    nick: NotRequired[str]  # The nickname that other players see
    # A browser, the default, or the desktop or mobile app.
    authType: NotRequired[Literal["external", "internal"]]
    lang: NotRequired[str]  # The platform's default is en. An ISO 639-1 code of two letters
    currency: NotRequired[str]  # ISO code; a platform may require it
    # Further members that PLATFORM_EXTRA_MEMBERS allows; launchOptions may be an object.
    extra: NotRequired[dict[str, str | int | bool | dict[str, Any]]]


class GameOpen(TypedDict):
    """The lobby for a player, or with session.tableId a table."""
    player: GamePlayer  # Who plays
    session: NotRequired[GameSession]  # What is opened, and how


class AdHocReportFetch(TypedDict):
    """Figures of all players over a period, or of one."""
    dateFrom: str  # Start of the period. A real YYYY-MM-DD HH:MM:SS without a zone
    dateTo: str  # End of the period, after dateFrom. A real YYYY-MM-DD HH:MM:SS without a zone
    userId: NotRequired[str]  # One player; without it all of them
    currency: NotRequired[str]  # ISO code
    page: NotRequired[int]  # That page alone; without it every page is fetched
    perPage: NotRequired[int]  # Default REPORTS_PER_PAGE; the platform may give less


class RakeReportFetch(TypedDict):
    """The rake of players over a period."""
    timeZone: NotRequired[str]  # A zone's name, or an offset such as +03:00
    convertToPreferredCurrency: NotRequired[str]  # Into the player's currency; the interface shows no values
    # The field to sort by; the interface shows no syntax. Without it, pages have no order.
    sort: NotRequired[str]
    dateFrom: str  # Start of the period. A real YYYY-MM-DD HH:MM:SS without a zone
    dateTo: str  # End of the period, after dateFrom. A real YYYY-MM-DD HH:MM:SS without a zone
    userId: NotRequired[str]  # One player; without it all of them
    currency: NotRequired[str]  # ISO code
    page: NotRequired[int]  # That page alone; without it every page is fetched
    perPage: NotRequired[int]  # Default REPORTS_PER_PAGE; the platform may give less


class GamePlayer(TypedDict):
    id: str  # The player
    nick: NotRequired[str]  # The nickname that other players see
    name: NotRequired[str]  # The player's name
    email: NotRequired[str]  # E-mail address
    referredBy: NotRequired[str]  # User name of the referrer
    referralCode: NotRequired[str]  # Referral code of the referrer
    bonusCode: NotRequired[str]  # Affiliate bonus code
    avatar: NotRequired[int]  # The player's own avatar, or a preset one
    phoneNumber: NotRequired[str]  # Telephone number
    tag: NotRequired[str]  # The player's tag
    active: NotRequired[bool]  # Whether the account is activated
    verified: NotRequired[bool]  # Whether the player is verified
    trustedLevel: NotRequired[int]  # Id of the trusted level
    currency: NotRequired[str]  # ISO code
    preferredCurrency: NotRequired[str]  # ISO code
    country: NotRequired[str]  # ISO code; sent under the name in PLAYER_COUNTRY_MEMBER
    extra: NotRequired[dict[str, str | int | bool]]  # Further members that PLATFORM_EXTRA_MEMBERS allows


class GameSession(TypedDict):
    # Default: derived, so that a repeat opens the same session; with SESSION_ID=omit none.
    id: NotRequired[str]
    # A browser, the default, or the desktop or mobile app.
    authType: NotRequired[Literal["external", "internal"]]
    tableId: NotRequired[int]  # The table; without it the lobby opens
    lang: NotRequired[str]  # Of the lobby or the table. A language tag of BCP 47, such as de or pt-BR
    launchOptions: NotRequired[dict[str, Any] | str]  # Custom options embedded in the URL of the game
    longLifeLoginToken: NotRequired[bool]  # The platform's default is true
    userIp: NotRequired[str]  # The player's IP address
    extra: NotRequired[dict[str, str | int | bool]]  # Further members that PLATFORM_EXTRA_MEMBERS allows


class SessionCreated(TypedDict):
    """A session, with the URL that opens the lobby."""
    userId: str  # The player, as asked for
    # The platform's own id of the player, if it is another one: SESSION_USER_ID=any.
    platformUserId: NotRequired[str]
    sessionId: str  # The session
    auth: str  # A short-lived token that acts for the player. Do not log it
    redirectUrl: str  # Opens the lobby; holds the token


class GameOpened(TypedDict):
    """The URL that opens the lobby or the table."""
    id: str  # The platform's id of the document
    playerId: str  # The player
    sessionId: str  # As sent or derived, or made by the platform
    auth: str  # A short-lived token that acts for the player. Do not log it
    url: str  # Opens the lobby or the table; holds the token


class ReportPage(TypedDict, Generic[Record]):
    """One page of a report."""
    report: Literal["ad-hoc", "rake"]  # Which report
    page: int  # Which page
    pageCount: int  # As the platform counts
    perPage: int  # As the platform counts
    totalCount: int  # Records of the whole report
    # Each currency on the page with its number of decimals, null if none is configured.
    precisions: dict[str, int | None]
    readAt: str  # When the platform's answer arrived: ISO 8601, UTC
    records: list[Record]  # The platform's attributes, names in camelCase, and id
    # What is wrong with records that were passed on as they are, with REPORT_RECORDS=lenient.
    faults: NotRequired[list[RecordFault]]


class ReportCompleted(TypedDict):
    """The end of a report; an empty report is this reply alone."""
    report: Literal["ad-hoc", "rake"]  # Which report
    pages: int  # Pages that were published
    records: int  # Records on them
    totalCount: int  # As the platform's last answer counts
    changedWhileReading: bool  # Whether a count changed between pages, or records repeat or are missing
    repeated: int  # Records that came more than once, by id, currency and money type
    changed: int  # Repeated records whose figures differed from the first time
    missing: int  # Records of totalCount on no page, negative if there are more; 0 for a single page
    readFrom: str  # When the platform's first answer arrived: ISO 8601, UTC
    readTo: str  # When the platform's last answer arrived: ISO 8601, UTC
    spansIntervals: bool  # Whether readFrom and readTo are in different intervals of ten minutes
    faults: int  # Faults of its records; 0 unless REPORT_RECORDS=lenient


class ErrorBody(TypedDict):
    """The error body; it is always final."""
    code: ErrorCode  # The error code: decide by this
    # The kind of failure.
    category: Literal["invalid", "expired", "misconfigured", "rejected", "unavailable", "uncertain", "internal"]
    retryable: bool  # Whether sending the same command again can succeed without anyone changing it
    message: str  # A sentence for people
    retryAfterMs: NotRequired[int]  # Milliseconds to wait, if known
    violations: NotRequired[list[Violation]]  # Each fault of the command
    details: NotRequired[ErrorDetails]  # Further facts; new members may be added
    platform: NotRequired[PlatformAnswer]  # What the platform answered
    attempts: int  # Calls to the platform by this worker for this command
    command: FailedCommand  # Which command failed
    occurredAt: str  # ISO 8601, UTC


class RecordFault(TypedDict):
    pointer: str  # JSON pointer into the page
    message: str  # What is wrong with it; never the value


class Violation(TypedDict):
    pointer: str  # JSON pointer into the data, into /properties or into /headers
    message: str  # What is wrong with it; never the value


class ErrorDetails(TypedDict):
    bytes: NotRequired[int]  # Size of the body
    maxBytes: NotRequired[int]  # The largest size that is accepted
    maxLength: NotRequired[int]  # The platform's limit of a nickname, as it counts characters
    called: NotRequired[bool]  # Whether the platform was called
    body: NotRequired[str]  # What came instead of the platform's own error: html, text or json
    hint: NotRequired[str]  # What else the answer may mean, such as signature
    reason: NotRequired[str]  # Why there was no answer, or what is wrong with it
    earlierAttemptUnknown: NotRequired[bool]  # An earlier attempt of this command was sent and not answered
    unansweredMs: NotRequired[int]  # How long the platform had not answered at the deadline
    lateByMs: NotRequired[int]  # How long before its receipt the command had expired
    queue: NotRequired[str]  # The state of a reply queue that took no page: full, or gone
    proxyStatus: NotRequired[int]  # The HTTP status that the proxy answered instead of connecting


class PlatformAnswer(TypedDict):
    status: int  # The HTTP status
    errors: list[PlatformErrorEntry]  # What it says is wrong


class FailedCommand(TypedDict):
    id: str  # The command's id
    type: str  # As sent; it may be unknown


class PlatformErrorEntry(TypedDict):
    status: NotRequired[int]  # The HTTP status
    title: NotRequired[str]  # The name of the status
    detail: NotRequired[str]  # At most 300 characters; values of the command are replaced by ***
    pointer: NotRequired[str]  # Path to the offending member, in the platform's names


class AdHocRecord(TypedDict):
    id: str  # Id of the record
    userId: str  # The player
    date: str  # The day of the aggregate
    moneyType: int  # Money type; the interface does not show what the codes mean
    currency: str  # ISO code
    win: int  # Minor units of the currency, digit for digit
    loss: int  # Minor units of the currency, digit for digit
    deposit: int  # Minor units of the currency, digit for digit
    withdraw: int  # Minor units of the currency, digit for digit
    bets: int  # Minor units of the currency, digit for digit
    rake: int  # Minor units of the currency, digit for digit
    jackpot: int  # Minor units of the currency, digit for digit
    tournamentFee: int  # Minor units of the currency, digit for digit
    tournamentBet: int  # Minor units of the currency, digit for digit
    tournamentPrize: int  # Minor units of the currency, digit for digit
    cashResult: int  # Minor units of the currency, digit for digit
    tournamentResult: int  # Minor units of the currency, digit for digit
    ticketFee: int  # Minor units of the currency, digit for digit
    ticketBet: int  # Minor units of the currency, digit for digit
    slotCredit: int  # Minor units of the currency, digit for digit
    slotDebit: int  # Minor units of the currency, digit for digit
    rakeback: int  # Minor units of the currency, digit for digit
    rakebackPaid: int  # Minor units of the currency, digit for digit
    rakebackUnpaid: int  # Minor units of the currency, digit for digit
    rabbitHunting: int  # Minor units of the currency, digit for digit


class RakeRecord(TypedDict):
    id: str  # Id of the record
    userId: str  # The player
    currency: str  # ISO code
    value: int  # Minor units of the currency, digit for digit
