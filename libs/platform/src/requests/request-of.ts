import type { CommandData } from '#contracts';

import type { Operation } from '../operations.ts';
import type { OperatorCredentials } from '../platform-settings.ts';
import { gameRequest } from './game-request.ts';
import type { PlatformRequest } from './platform-request.ts';
import { adHocReportRequest, type PageRequest, rakeRequest } from './report-requests.ts';
import { sessionRequest } from './session-request.ts';

type Sender = Pick<OperatorCredentials, 'clientId'> & {
  readonly settings: Pick<OperatorCredentials['settings'], 'rakeParametersIn' | 'playerCountryMember'>;
};

/**
 * The request that a worker sends for a command, without its signature.
 *
 * @param data valid data of the command
 * @param page of a report
 * @returns undefined if that of this operation is not known here
 */
export function requestOf<T extends Operation>(
  operation: T,
  data: CommandData[T],
  page: PageRequest,
  { clientId, settings }: Sender,
): PlatformRequest | undefined {
  const requests: { readonly [O in Operation]?: (given: CommandData[O]) => PlatformRequest } = {
    'session.create': (given) => sessionRequest(given, clientId),
    'game.open': (given) => gameRequest(given, clientId, settings.playerCountryMember),
    'report.ad-hoc.fetch': (given) => adHocReportRequest(given, page, clientId),
    'report.rake.fetch': (given) => rakeRequest(given, page, clientId, settings.rakeParametersIn),
  };
  return requests[operation]?.(data);
}
