import type { CommandData, CommandType, ReplyTo } from '#contracts';
import type { Priority, RepeatAfterUnknown } from '#resilience';

import type { CollectionPage } from '../answers/read-collection.ts';
import type { ErrorRow } from '../errors/error-table.ts';
import type { OperatorCredentials, PlatformSettings } from '../platform-settings.ts';

/**
 * A call to the platform, named after the command that it serves; metrics, health and logs use the same name.
 */
export type Operation = CommandType;

/** The result of a successful call: the data of its command's reply, or one page of a report. */
export type Result<O extends Operation> =
  Extract<ReplyTo<O>, { type: 'report.page' }> extends never ? ReplyTo<O>['data'] : CollectionPage;

/** Names and values of a path, a query or a form; `undefined` means absent. */
export type Fields = Readonly<Record<string, string | undefined>>;

/** A request in the terms of the interface document. */
export interface RequestParts {
  readonly method: 'GET' | 'POST';
  /** The path with names in braces instead of values. */
  readonly pathTemplate: string;
  readonly path?: Fields;
  readonly query: Fields;
  /** The form of a v2 endpoint. */
  readonly form?: Fields;
  /** The JSON:API document of a v3 endpoint. */
  readonly document?: object;
  /** Default: the policy of the operation. */
  readonly repeatAfterUnknown?: RepeatAfterUnknown;
}

/** The operator that sends a request, with the settings that affect it. */
export type Sender = Pick<OperatorCredentials, 'clientId'> & {
  readonly settings: Pick<PlatformSettings, 'rakeParametersIn' | 'playerCountryMember' | 'clientKey'>;
};

/** A page of a report; numbers start at 1. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

export type Period = Pick<CommandData['report.ad-hoc.fetch'], 'dateFrom' | 'dateTo'>;

export interface OperationPolicies {
  readonly priority: Priority;
  /** True if the call changes nothing on the platform, so that a call without an answer has simply failed. */
  readonly isRead: boolean;
  /** How often a call with an unknown outcome may be retried. */
  readonly repeatAfterUnknown: RepeatAfterUnknown;
  readonly maxAnswerBytes: number;
}

/** The identity of a command: a repeat has the same one. */
export interface CommandIdentity {
  readonly caller?: string;
  readonly operator: string;
  /** Undefined for a call that serves no command. */
  readonly id?: string;
}

/** Everything that is specific to one operation of the platform. */
export interface OperationDefinition<O extends Operation> extends OperationPolicies {
  /** Adds what the data does not give but the command determines. Default: nothing. */
  complete?(data: CommandData[O], command: CommandIdentity, settings: PlatformSettings): CommandData[O];
  /**
   * Builds the request of a command with valid data.
   *
   * @param page page number of a report; default: chosen by the platform
   */
  request(data: CommandData[O], sender: Sender, page?: PageRequest): RequestParts;
  /** Reads the body of a successful answer. @throws UnexpectedDocument */
  read(body: Buffer, credentials: OperatorCredentials, data: CommandData[O]): Result<O> | Promise<Result<O>>;
  /** Rows of the error table that apply to this operation alone. */
  readonly errors: readonly ErrorRow[];
  /**
   * Returns the data of a call that changes nothing, for `doctor`; `undefined` if there is no such call.
   *
   * @param period a valid period for a report
   */
  harmless(period: Period): CommandData[O] | undefined;
}
