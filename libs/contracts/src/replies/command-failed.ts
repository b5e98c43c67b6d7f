import { Max, Min } from 'class-validator';

import { ERROR_CATEGORIES, ERROR_CODES, type ErrorCode } from '../error-codes.ts';
import type { ReplyDefinition } from '../validation/definition.ts';
import { IsObjectOf } from '../validation/member-rules.ts';
import { optional, required, type Rule, shape } from '../validation/shape.ts';
import { IsAnyText, IsArrayOf, IsCount, IsFlag, IsInteger, IsMoment, IsOneOf } from './reply-rules.ts';

/**
 * One fault of a command, at a JSON pointer (RFC 6901) into its data, its `/properties` or its `/headers`.
 */
export class Violation extends shape('Violation', {
  pointer: required('JSON pointer into the data, into /properties or into /headers.', IsAnyText),
  message: required('What is wrong with it; never the value.', IsAnyText),
}) {}

/** Further facts about a failure. A later version may add members. */
const ErrorDetails = shape('ErrorDetails', {
  bytes: optional('Size of the body.', IsCount),
  maxBytes: optional('The largest size that is accepted.', IsCount),
  maxLength: optional("The platform's limit of a nickname, as it counts characters.", IsCount),
  called: optional('Whether the platform was called.', IsFlag),
  body: optional("What came instead of the platform's own error: html, text or json.", IsAnyText),
  hint: optional('What else the answer may mean, such as signature.', IsAnyText),
  reason: optional('Why there was no answer, or what is wrong with it.', IsAnyText),
  earlierAttemptUnknown: optional('An earlier attempt of this command was sent and not answered.', IsFlag),
  unansweredMs: optional('How long the platform had not answered at the deadline.', IsCount),
  lateByMs: optional('How long before its receipt the command had expired.', IsCount),
  queue: optional('The state of a reply queue that took no page: full, or gone.', IsAnyText),
  proxyStatus: optional('The HTTP status that the proxy answered instead of connecting.', IsInteger),
});

/** An alias because, unlike a class, it can be assigned to a record. */
export type ErrorDetails = InstanceType<typeof ErrorDetails>;

const IsDetails = IsObjectOf(ErrorDetails) as Rule<object> as Rule<Readonly<Record<string, unknown>>>;

/** One error of the platform, without the parts that must not be passed on. */
export class PlatformErrorEntry extends shape('PlatformErrorEntry', {
  status: optional('The HTTP status.', IsInteger),
  title: optional('The name of the status.', IsAnyText),
  detail: optional('At most 300 characters; values of the command are replaced by ***.', IsAnyText),
  pointer: optional("Path to the offending member, in the platform's names.", IsAnyText),
}) {}

/** The platform's answer when it refused or failed. */
export class PlatformAnswer extends shape('PlatformAnswer', {
  status: required('The HTTP status.', IsInteger, Min(100), Max(599)),
  errors: required('What it says is wrong.', IsArrayOf(PlatformErrorEntry)),
}) {}

const FailedCommand = shape('FailedCommand', {
  id: required("The command's id.", IsAnyText),
  type: required('As sent; it may be unknown.', IsAnyText),
});

/** The data of `command.failed`. Source: bus contract, section 4. */
export class ErrorBody extends shape('ErrorBody', {
  code: required(
    'The error code: decide by this.',
    IsOneOf(Object.keys(ERROR_CODES) as ErrorCode[], 'ErrorCode'),
  ),
  category: required('The kind of failure.', IsOneOf(ERROR_CATEGORIES, 'ErrorCategory')),
  retryable: required(
    'Whether sending the same command again can succeed without anyone changing it.',
    IsFlag,
  ),
  message: required('A sentence for people.', IsAnyText),
  retryAfterMs: optional('Milliseconds to wait, if known.', IsCount),
  violations: optional('Each fault of the command.', IsArrayOf(Violation)),
  details: optional('Further facts; new members may be added.', IsDetails),
  platform: optional('What the platform answered.', IsObjectOf(PlatformAnswer)),
  attempts: required('Calls to the platform by this worker for this command.', IsCount),
  command: required('Which command failed.', IsObjectOf(FailedCommand)),
  occurredAt: required('ISO 8601, UTC.', IsMoment),
}) {}

/**
 * The reply to a failed command. It is announced in full, because it contains neither secrets nor command
 * values.
 */
export const commandFailed = {
  type: 'command.failed',
  summary: 'The error body; it is always final.',
  data: ErrorBody,
  announced: ErrorBody.members,
  examples: [],
} satisfies ReplyDefinition<ErrorBody>;
