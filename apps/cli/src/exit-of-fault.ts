import { CallerError } from '#caller';
import { BrokerError, PublishRefusedError, UnconfirmedError } from '#rabbitmq';
import { SettingsError } from '#settings';

import { EXIT, ExitError } from './exit.ts';

const WRONG_SETTINGS: ReadonlySet<string> = new Set([
  'login-refused',
  'virtual-host-refused',
  'access-refused',
  'LOGIN_REFUSED',
]);

/** How the program ends after a fault of the settings or the broker; any other error stays what it is. */
export function exitOfFault(error: unknown): unknown {
  if (error instanceof SettingsError) return new ExitError(EXIT.settings, error.message);
  if (error instanceof CallerError) return exitBy(error.code, error.message);
  if (error instanceof BrokerError) {
    const isUnset =
      error.fault === 'unreachable' && !process.env['AMQP_URL'] && !process.env['AMQP_URL_FILE'];
    return exitBy(error.fault, error.message + (isUnset ? ' AMQP_URL is not set; this is its default.' : ''));
  }
  for (const kind of [UnconfirmedError, PublishRefusedError]) {
    if (error instanceof kind) return new ExitError(EXIT.noAnswer, error.message);
  }
  return error;
}

function exitBy(fault: string, message: string): ExitError {
  return new ExitError(WRONG_SETTINGS.has(fault) ? EXIT.settings : EXIT.noAnswer, message);
}
