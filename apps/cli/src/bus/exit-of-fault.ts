import { BusClientError } from '#messaging/client';
import { BrokerError, UnconfirmedError } from '#rabbitmq';
import { SettingsError } from '#settings';

import { EXIT, ExitError } from '../exit.ts';

const REFUSED: ReadonlySet<string> = new Set(['login-refused', 'virtual-host-refused', 'access-refused']);
const NO_ANSWER = [BusClientError, BrokerError, UnconfirmedError];

/** How the program ends after a fault of the settings or the broker; any other error stays what it is. */
export function exitOfFault(error: unknown): unknown {
  if (error instanceof SettingsError) return new ExitError(EXIT.settings, error.message);
  if (error instanceof BrokerError && REFUSED.has(error.fault)) {
    return new ExitError(EXIT.settings, error.message);
  }
  const isExpected = NO_ANSWER.some((kind) => error instanceof kind);
  if (isExpected) return new ExitError(EXIT.noAnswer, (error as Error).message);
  return error;
}
