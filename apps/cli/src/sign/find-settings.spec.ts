import { describe, expect, it } from '@jest/globals';

import type { Question } from '#platform';
import { parseExactJson, sign, signRawBody, type SignatureSettings } from '#signing';

import { findSettings, type FoundSettings } from './find-settings.ts';

const OPERATOR = { baseUrl: 'http://b', apiUrl: 'http://a', clientId: 'op1', secretKey: 'hush' };
const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-01 00:01:00' };
const MOST_CALLS = 12;

const VALUES = {
  scalars: ['php', 'json'],
  openGameClient: ['keep', 'drop'],
  jsonStrings: ['containers', 'all', 'none'],
  jsonPlacement: ['in-place', 'merge'],
  exclude: ['top', 'deep'],
  schemeV3: ['parameters', 'raw-body'],
  rakeParametersIn: ['form', 'query'],
} as const;

const variants = Object.entries(VALUES).reduce<object[]>(
  (all, [member, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [member]: value }))),
  [{}],
) as FoundSettings[];

/** A platform of these settings, and the statuses that it answers with. */
function platformOf(settings: FoundSettings, secretKey = OPERATOR.secretKey) {
  let calls = 0;
  const isRight = ({ path = '', headers, body = '' }: Question): boolean => {
    const { searchParams, pathname } = new URL(path, 'http://x');
    const query = Object.fromEntries(searchParams);
    if (!pathname.includes('/v3/')) {
      return (
        headers?.['sign'] ===
        sign({ ...query, ...Object.fromEntries(new URLSearchParams(body)) }, secretKey, settings)
      );
    }
    const document = parseExactJson(body) as object;
    const raw = settings.schemeV3 === 'raw-body';
    return (
      headers?.['sign'] ===
      (raw ? signRawBody(body, secretKey) : sign({ ...query, ...document }, secretKey, settings))
    );
  };
  return {
    calls: () => calls,
    ask: (question: Question): Promise<number> => {
      calls += 1;
      if (!isRight(question)) return Promise.resolve(400);
      if (question.root === OPERATOR.apiUrl) return Promise.resolve(422);
      const isRake = question.method === 'GET';
      const isInForm = question.body !== undefined;
      return Promise.resolve(!isRake || isInForm === (settings.rakeParametersIn === 'form') ? 200 : 422);
    },
  };
}

/** Those that make a difference with the others. */
function relevant({
  jsonStrings,
  jsonPlacement,
  schemeV3,
  openGameClient,
  exclude,
  scalars,
  ...rest
}: FoundSettings) {
  const isRaw = schemeV3 === 'raw-body';
  return {
    ...rest,
    jsonStrings,
    schemeV3,
    ...(jsonStrings !== 'none' && { jsonPlacement }),
    ...(!isRaw && { openGameClient }),
    ...(!(isRaw && jsonStrings === 'none') && { exclude, scalars }),
  } satisfies Partial<SignatureSettings & FoundSettings>;
}

describe('findSettings', () => {
  it(`finds each of ${variants.length} variants by at most ${MOST_CALLS} calls`, async () => {
    for (const settings of variants) {
      const platform = platformOf(settings);
      const finding = await findSettings(platform.ask, OPERATOR, PERIOD);
      const found = finding.kind === 'found' ? relevant(finding.settings) : finding;
      expect([settings, found]).toEqual([settings, relevant(settings)]);
      expect(platform.calls()).toBeLessThanOrEqual(MOST_CALLS);
    }
  });

  it('says what is wrong if nothing can be found', async () => {
    const [settings] = variants as [FoundSettings];
    const anything = await findSettings(() => Promise.resolve(200), OPERATOR, PERIOD);
    expect(anything).toMatchObject({
      kind: 'fault',
      reason: expect.stringMatching(/accepts a signature that is wrong/),
    });
    const foreign = await findSettings(platformOf(settings, 'another').ask, OPERATOR, PERIOD);
    expect(foreign).toMatchObject({
      kind: 'fault',
      reason: expect.stringMatching(/check PLATFORM_CLIENT_ID/),
    });
  });
});
