import { CallerError } from '#caller';
import { BrokerError, MessageTooLargeError, PublishRefusedError, UnconfirmedError } from '#rabbitmq';
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
  if (error instanceof BrokerError) {
    const isUnset =
      error.fault === 'unreachable' && !process.env['AMQP_URL'] && !process.env['AMQP_URL_FILE'];
    const message = isUnset ? `${error.message} AMQP_URL is not set; this is its default.` : error.message;
    return new ExitError(WRONG_SETTINGS.has(error.fault) ? EXIT.settings : EXIT.noAnswer, message);
  }
  if (error instanceof CallerError) {
    return new ExitError(WRONG_SETTINGS.has(error.code) ? EXIT.settings : EXIT.noAnswer, error.message);
  }
  const isOfBroker = [UnconfirmedError, PublishRefusedError, MessageTooLargeError].some(
    (kind) => error instanceof kind,
  );
  return isOfBroker ? new ExitError(EXIT.noAnswer, (error as Error).message) : error;
}
