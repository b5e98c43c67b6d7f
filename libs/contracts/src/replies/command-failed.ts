import { IsBoolean, IsIn, IsInt, IsISO8601, IsString, Max, Min } from 'class-validator';

import { ERROR_CATEGORIES, ERROR_CODES, type ErrorCategory, type ErrorCode } from '../error-codes.ts';
import { membersOf, type ReplyDefinition } from '../validation/definition.ts';
import { IsArrayOf, IsObjectOf, MayBeAbsent, MustBeGiven } from '../validation/member-rules.ts';

/** One fault of a command, at a JSON pointer (RFC 6901) into its data, its `/properties` or its `/headers`. */
export class Violation {
  @MustBeGiven('JSON pointer into the data, into /properties or into /headers.', IsString())
  readonly pointer!: string;
  @MustBeGiven('What is wrong with it; never the value.', IsString())
  readonly message!: string;
}

/** Further facts about a failure. */
class ErrorDetails {
  @MayBeAbsent('Size of the body.', IsInt(), Min(0))
  readonly bytes?: number;
  @MayBeAbsent('The largest size that is accepted.', IsInt(), Min(0))
  readonly maxBytes?: number;
  @MayBeAbsent("The platform's limit of a nickname, as it counts characters.", IsInt(), Min(0))
  readonly maxLength?: number;
  @MayBeAbsent('Whether the platform was called.', IsBoolean())
  readonly called?: boolean;
  @MayBeAbsent('Why there was no answer, or what is wrong with it.', IsString())
  readonly reason?: string;
  @MayBeAbsent('An earlier attempt of this command was sent and not answered.', IsBoolean())
  readonly earlierAttemptUnknown?: boolean;
}

/** One error of the platform, as far as it may be passed on. */
export class PlatformErrorEntry {
  @MayBeAbsent('The HTTP status.', IsInt())
  readonly status?: number;
  @MayBeAbsent('The name of the status.', IsString())
  readonly title?: string;
  @MayBeAbsent('At most 300 characters; values of the command are replaced by ***.', IsString())
  readonly detail?: string;
  @MayBeAbsent("Path to the offending member, in the platform's names.", IsString())
  readonly pointer?: string;
}

/** The platform's answer when it refused or failed. */
export class PlatformAnswer {
  @MustBeGiven('The HTTP status.', IsInt(), Min(100), Max(599))
  readonly status!: number;
  @MustBeGiven('What it says is wrong.', IsArrayOf(PlatformErrorEntry))
  readonly errors!: readonly PlatformErrorEntry[];
}

/** The command that failed. */
export class FailedCommand {
  @MustBeGiven("The command's id.", IsString())
  readonly id!: string;
  @MustBeGiven('As sent; it may be unknown.', IsString())
  readonly type!: string;
}

/** The data of `command.failed`. Source: bus contract, section 4. */
export class ErrorBody {
  @MustBeGiven('The error code: decide by this.', IsIn(Object.keys(ERROR_CODES)))
  readonly code!: ErrorCode;
  @MustBeGiven('The kind of failure.', IsIn(ERROR_CATEGORIES))
  readonly category!: ErrorCategory;
  @MustBeGiven('Whether sending the same command again can succeed without anyone changing it.', IsBoolean())
  readonly retryable!: boolean;
  @MustBeGiven('A sentence for people.', IsString())
  readonly message!: string;
  @MayBeAbsent('Milliseconds to wait, if known.', IsInt(), Min(0))
  readonly retryAfterMs?: number;
  @MayBeAbsent('Each fault of the command.', IsArrayOf(Violation))
  readonly violations?: readonly Violation[];
  @MayBeAbsent('Further facts; new members may be added.', IsObjectOf(ErrorDetails))
  readonly details?: Readonly<Record<string, unknown>>;
  @MayBeAbsent('What the platform answered.', IsObjectOf(PlatformAnswer))
  readonly platform?: PlatformAnswer;
  @MustBeGiven('Calls to the platform by this worker for this command.', IsInt(), Min(0))
  readonly attempts!: number;
  @MustBeGiven('Which command failed.', IsObjectOf(FailedCommand))
  readonly command!: FailedCommand;
  @MustBeGiven('ISO 8601, UTC.', IsISO8601())
  readonly occurredAt!: string;
}

/** The reply to every command that fails. All of it is announced: an error holds neither secrets nor values of the command. */
export const commandFailed = {
  type: 'command.failed',
  summary: 'The error body; it is always final.',
  data: ErrorBody,
  announced: membersOf(ErrorBody),
  examples: [],
} satisfies ReplyDefinition<ErrorBody>;
