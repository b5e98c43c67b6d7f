import { CallerError } from '#caller';
import { BrokerError, PublishRefusedError, UnconfirmedError } from '#rabbitmq';
import { SettingsError } from '#settings';

import { EXIT, ExitError } from './exit.ts';

const WRONG_SETTINGS = /^(login|virtual-host|access)[-_]refused$/i;

/** How the program ends after a fault of the settings or the broker; any other error stays what it is. */
export function exitOfFault(error: unknown): unknown {
  if (error instanceof SettingsError) return new ExitError(EXIT.settings, error.message);
  if (error instanceof UnconfirmedError || error instanceof PublishRefusedError) {
    return new ExitError(EXIT.noAnswer, error.message);
  }
  if (!(error instanceof CallerError || error instanceof BrokerError)) return error;
  const fault = error instanceof CallerError ? error.code : error.fault;
  const isUnset = fault === 'unreachable' && !process.env['AMQP_URL'] && !process.env['AMQP_URL_FILE'];
  const message = error.message + (isUnset ? ' AMQP_URL is not set; this is its default.' : '');
  return new ExitError(WRONG_SETTINGS.test(fault) ? EXIT.settings : EXIT.noAnswer, message);
}
