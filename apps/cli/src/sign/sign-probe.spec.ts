import { describe, expect, it } from '@jest/globals';

import type { Question } from '#platform';
import {
  DEFAULT_SIGNATURE_SETTINGS,
  EVERY_SIGNATURE_SETTING,
  parseExactJson,
  sign,
  SIGNATURE_VARIABLES,
} from '#signing';

import { findSettings, type FoundSettings } from './sign-probe.ts';

const OPERATOR = { baseUrl: 'http://b', apiUrl: 'http://a', clientId: 'op1', secretKey: 'hush' };
const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-01 00:01:00' };
const MOST_CALLS = 12;

const variants: FoundSettings[] = EVERY_SIGNATURE_SETTING.flatMap((settings) => [
  { ...settings, rakeParametersIn: 'form' },
  { ...settings, rakeParametersIn: 'query' },
]);

/** A platform of these settings, and the statuses that it answers with. */
function platformOf(settings: FoundSettings) {
  let calls = 0;
  const signatureOf = ({ url, body = '' }: Question): string => {
    const { searchParams, pathname } = new URL(url);
    const isGame = pathname.includes('/v3/');
    const fields = isGame ? (parseExactJson(body) as object) : Object.fromEntries(new URLSearchParams(body));
    const parameters = { ...Object.fromEntries(searchParams), ...fields };
    return sign({ parameters, body: isGame ? body : undefined }, OPERATOR.secretKey, settings);
  };
  return {
    calls: () => calls,
    ask: (question: Question): Promise<number> => {
      calls += 1;
      if (question.headers?.['sign'] !== signatureOf(question)) return Promise.resolve(400);
      if (question.url.startsWith(OPERATOR.apiUrl)) return Promise.resolve(422);
      const isInForm = question.body !== undefined;
      const isFound = question.method === 'POST' || isInForm === (settings.rakeParametersIn === 'form');
      return Promise.resolve(isFound ? 200 : 422);
    },
  };
}

/** The variables that others rule out. */
function irrelevantIn({ schemeV3, jsonStrings }: FoundSettings) {
  const [isRaw, isUndecoded] = [schemeV3 === 'raw-body', jsonStrings === 'none'];
  return Object.keys(SIGNATURE_VARIABLES).filter((variable) => {
    if (variable === 'SIGNATURE_OPEN_GAME_CLIENT') return isRaw;
    if (variable === 'SIGNATURE_JSON_PLACEMENT') return isUndecoded;
    return isRaw && isUndecoded && /EXCLUDE|SCALARS/.test(variable);
  }) as (keyof typeof SIGNATURE_VARIABLES)[];
}

describe('findSettings', () => {
  it(`finds each of ${variants.length} variants by at most ${MOST_CALLS} calls`, async () => {
    for (const settings of variants) {
      const platform = platformOf(settings);
      const found = await findSettings(platform.ask, OPERATOR, PERIOD);
      const irrelevant = irrelevantIn(settings);
      const members = irrelevant.map((variable) => SIGNATURE_VARIABLES[variable].member);
      const defaults = members.map((member) => [member, DEFAULT_SIGNATURE_SETTINGS[member]]);
      expect(found).toEqual({ settings: { ...settings, ...Object.fromEntries(defaults) }, irrelevant });
      expect(platform.calls()).toBeLessThanOrEqual(MOST_CALLS);
    }
  });

  // What a wrong secret key gives is in the spec of the command.
  it('says what is wrong with a platform that accepts anything', async () => {
    const found = findSettings(() => Promise.resolve(200), OPERATOR, PERIOD);
    await expect(found).rejects.toThrow(/accepts a wrong signature/);
  });
});
