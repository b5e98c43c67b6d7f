import {
  readCallers,
  readOperators,
  readSettings,
  refuseCleartext,
  SettingsError,
  warningsOf,
} from '#settings';

import { tlsOf } from '../input/tls-of.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

const ADVICE = 'no worker starts before; docs/settings.md lists every variable';

/** The settings as a worker reads them at start: every fault, and what looks wrong. */
export function checkSettings(environment: NodeJS.ProcessEnv): Finding[] {
  try {
    const settings = readSettings(environment);
    const operators = readOperators(settings);
    refuseCleartext(settings, operators, environment);
    if (settings.CALLERS_FILE !== undefined) readCallers(settings.CALLERS_FILE);
    tlsOf('AMQP', settings, settings.AMQP_URL);
    tlsOf('REDIS', settings, [settings.REDIS_URL ?? '']);
    tlsOf(
      'PLATFORM',
      settings,
      operators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]),
    );
    const names = operators.map(({ name }) => name).join(', ');
    const warnings = warningsOf(settings, operators, environment);
    return [
      ok('settings', `can be used; credentials of ${names}`),
      ...warnings.map((message) => warn('settings', message, 'change it, unless it is meant')),
    ];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.faults.map(({ variable, reason }) => fail('settings', `${variable}: ${reason}`, ADVICE));
  }
}
