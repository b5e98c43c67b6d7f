import type { Question } from '#platform';
import { DEFAULT_SIGNATURE_SETTINGS, type SignatureSettings } from '#signing';

import {
  type FoundSettings,
  gameQuestion,
  type Period,
  type ProbedOperator,
  rakeQuestion,
  reportQuestion,
} from './probe-requests.ts';

/** Sends a question, and gives the status of its answer. */
export type Ask = (question: Question) => Promise<number>;

/** What was found, or why nothing can be. */
export type Finding =
  | { readonly kind: 'found'; readonly settings: FoundSettings; readonly irrelevant: readonly string[] }
  | { readonly kind: 'fault'; readonly reason: string };

const REFUSED = 400;
/** In a list, so that it is signed first or last wherever its members are placed; and deep enough to be excluded. */
const STRINGS = { a: '["x"]', z: '"y"' };
const PLACEMENT = { z: '["x"]' };
const EXCLUDE = { z: '{"x":{"page":"7","y":"8"}}' };
const SCALARS = { z: '{"x":true}' };
const ALL = { a: '["x"]', y: '{"x":{"page":"7","y":true}}', z: '"y"' };

/**
 * Finds by at most twelve calls how a platform signs, and where it looks for the parameters of the rake: one setting
 * after the other, by a request that differs in this one alone.
 */
export async function findSettings(ask: Ask, operator: ProbedOperator, period: Period): Promise<Finding> {
  let settings: FoundSettings = { ...DEFAULT_SIGNATURE_SETTINGS, rakeParametersIn: 'form' };
  const accepts = async (question: Question): Promise<boolean> => (await ask(question)) !== REFUSED;
  const report = (extra: Readonly<Record<string, string>>, change: Partial<SignatureSettings> = {}) =>
    accepts(reportQuestion(operator, period, { extra, settings: { ...settings, ...change } }));
  const game = (launchOptions: object, change: Partial<SignatureSettings> = {}) =>
    accepts(gameQuestion(operator, { launchOptions, settings: { ...settings, ...change } }));
  const set = (change: Partial<FoundSettings>): void => void (settings = { ...settings, ...change });

  const wrong = { extra: {}, settings, digest: '0'.repeat(64) };
  if (await accepts(reportQuestion(operator, period, wrong))) {
    return fault('it accepts a signature that is wrong: is PLATFORM_BASE_URL the platform?');
  }
  if (!(await report({}))) {
    return fault(
      'it refuses a request that all settings sign alike: check PLATFORM_CLIENT_ID and the secret key',
    );
  }
  if (!(await report(STRINGS))) {
    set({ jsonStrings: (await report(STRINGS, { jsonStrings: 'none' })) ? 'none' : 'all' });
  }
  const irrelevant: string[] = [];
  const isDecoding = settings.jsonStrings !== 'none';
  if (!isDecoding) irrelevant.push('SIGNATURE_JSON_PLACEMENT');
  else if (!(await report(PLACEMENT))) set({ jsonPlacement: 'merge' });

  if (!(await game({}))) {
    if (await game({}, { openGameClient: 'drop' })) set({ openGameClient: 'drop' });
    else if (await game({}, { schemeV3: 'raw-body' })) set({ schemeV3: 'raw-body' });
    else return fault('it accepts open-game signed in no known way: check PLATFORM_API_URL');
  }
  const isRaw = settings.schemeV3 === 'raw-body';
  if (isRaw) irrelevant.push('SIGNATURE_OPEN_GAME_CLIENT');

  // Nested values are in JSON strings of the reports, or in the body of open-game.
  if (!isDecoding && isRaw) irrelevant.push('SIGNATURE_EXCLUDE', 'SIGNATURE_SCALARS');
  else {
    const isExcludedAtTop = isDecoding ? report(EXCLUDE) : game({ x: { page: '7', y: '8' } });
    if (!(await isExcludedAtTop)) set({ exclude: 'deep' });
    const isPhp = isDecoding ? report(SCALARS) : game({ x: true });
    if (!(await isPhp)) set({ scalars: 'json' });
  }

  const rake = (parametersIn: FoundSettings['rakeParametersIn']) => {
    set({ rakeParametersIn: parametersIn });
    return ask(rakeQuestion(operator, period, { extra: ALL, settings }));
  };
  const statuses = [await rake('form')];
  if (!isSuccess(statuses[0])) statuses.push(await rake('query'));
  if (isSuccess(statuses.at(-1))) return { kind: 'found', settings, irrelevant };
  return fault(
    `it accepts each setting by itself, and not all together (it answered the rake with ${statuses.join(' and ')})`,
  );
}

function fault(reason: string): Finding {
  return { kind: 'fault', reason };
}

function isSuccess(status: number | undefined): boolean {
  return status === 200;
}
