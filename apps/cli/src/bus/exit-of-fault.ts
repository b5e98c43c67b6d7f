import { BusClientError, type BusClientFault } from '#messaging/client';
import { SettingsError } from '#settings';

import { EXIT, type ExitCode, ExitError } from '../exit.ts';

const EXIT_OF_FAULT: Readonly<Record<BusClientFault, ExitCode>> = {
  rejected: EXIT.settings,
  unreachable: EXIT.noAnswer,
  'no-exchange': EXIT.noAnswer,
  'no-queue': EXIT.noAnswer,
  'not-taken': EXIT.noAnswer,
  'no-answer': EXIT.noAnswer,
};

/** How the program ends after a fault of the settings or the broker; any other error stays what it is. */
export function exitOfFault(error: unknown): unknown {
  if (error instanceof SettingsError) return new ExitError(EXIT.settings, error.message);
  if (error instanceof BusClientError) return new ExitError(EXIT_OF_FAULT[error.fault], error.message);
  return error;
}
