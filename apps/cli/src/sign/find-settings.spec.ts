import { describe, expect, it } from '@jest/globals';

import { CommandError, type ErrorCode } from '#contracts';
import { type PlatformSettings, requestOf } from '#platform';
import { readOperators, readSettings } from '#settings';
import { EVERY_SIGNATURE_SETTING, sign, SIGNATURE_VARIABLES, type SignatureSettings } from '#signing';

import { findSettings, MOST_CALLS } from './find-settings.ts';
import type { Ask } from './probing.ts';

const REQUIRED = { PLATFORM_BASE_URL: 'http://b', PLATFORM_API_URL: 'http://a', PLATFORM_CLIENT_ID: 'op1' };
const [OPERATOR] = readOperators(readSettings({ ...REQUIRED, PLATFORM_SECRET_KEY: 'hush' }));

type Probed = Pick<PlatformSettings, 'rakeParametersIn' | 'sessionId'> & SignatureSettings;

const PLACES = ['form', 'query', 'both'] as const;
const variants = EVERY_SIGNATURE_SETTING.flatMap((settings) =>
  PLACES.flatMap((rakeParametersIn) =>
    (['derive', 'omit'] as const).map((sessionId): Probed => ({ ...settings, rakeParametersIn, sessionId })),
  ),
);

const refusal = (code: ErrorCode, status: number, pointer?: string) =>
  new CommandError(code, {
    platform: { status, errors: [] },
    violations: pointer === undefined ? undefined : [{ pointer, message: '' }],
  });

/**
 * Simulates a platform with these settings, which rejects every session with a right signature.
 *
 * @param pointer to a rejected session id; the platform may name none
 */
function platformOf(settings: Probed, pointer?: string) {
  let calls = 0;
  const ask: Ask = (operation, data, { secretKey = '', settings: used, ...sender }) => {
    calls += 1;
    const sent = structuredClone(data) as { session?: { id?: string } };
    if (operation === 'game.open' && used.sessionId === 'derive')
      sent.session = { id: 's-1', ...sent.session };
    const { parameters, body, root } = requestOf(
      operation,
      sent as never,
      { ...sender, settings: used },
      PAGE,
    );
    const request = { parameters, body: root === 'apiUrl' ? body?.text : undefined };
    if (sign(request, secretKey, used) !== sign(request, 'hush', settings))
      return Promise.resolve(refusal('SIGNATURE_REJECTED', 400));
    if (settings.sessionId === 'omit' && sent.session?.id !== undefined)
      return Promise.resolve(refusal('INCORRECT_DATA', 422, pointer));
    if (operation === 'report.ad-hoc.fetch') return Promise.resolve('success');
    if (operation !== 'report.rake.fetch') return Promise.resolve(refusal('AUTH_TYPE_INVALID', 422));
    const isFound = used.rakeParametersIn === settings.rakeParametersIn;
    return Promise.resolve(isFound ? 'success' : refusal('INCORRECT_DATA', 422));
  };
  return { calls: () => calls, ask };
}
const PAGE = { page: 1, perPage: 1 };

/** Variables that have no effect because of others. */
function irrelevantIn({ schemeV3, jsonStrings }: Probed): ReadonlySet<string> {
  const [isRaw, isUndecoded] = [schemeV3 === 'raw-body', jsonStrings === 'none'];
  const names = Object.keys(SIGNATURE_VARIABLES).filter((variable) => {
    if (/CLIENT/.test(variable)) return isRaw;
    if (/REPEATED/.test(variable)) return isRaw;
    if (variable === 'SIGNATURE_JSON_PLACEMENT') return isUndecoded;
    return isRaw && isUndecoded && /EXCLUDE|SCALARS/.test(variable);
  });
  return new Set(names);
}

describe('findSettings', () => {
  it(`finds each of ${variants.length} variants with at most ${MOST_CALLS} calls`, async () => {
    for (const settings of variants) {
      const irrelevant = irrelevantIn(settings);
      const own = { ...OPERATOR!, settings: { ...OPERATOR!.settings, ...settings } };
      const pointers = settings.sessionId === 'omit' ? ['/session/id', undefined] : [undefined];
      for (const [from, pointer] of pointers.flatMap((each) => [
        [OPERATOR!, each] as const,
        [own, each] as const,
      ])) {
        const platform = platformOf(settings, pointer);
        const found = await findSettings(platform.ask, from);
        const { problems, irrelevant: ruledOut } = found;
        const shown = { settings: comparable(found.settings, settings, irrelevant), problems, ruledOut };
        expect(shown).toEqual({ settings, problems: [], ruledOut: irrelevant });
        expect(found.calls).toBe(platform.calls());
        expect(found.calls).toBeLessThanOrEqual(from === own ? 8 : MOST_CALLS);
      }
    }
  });

  it('says that a wrong signature is accepted', async () => {
    const found = await findSettings(() => Promise.resolve('success'), OPERATOR!);
    expect(found.problems).toEqual([expect.stringMatching(/^a wrong signature is accepted/)]);
  });
});

/** The settings found; for variables without effect, those of the platform. */
function comparable(found: PlatformSettings, settings: Probed, irrelevant: ReadonlySet<string>): Probed {
  const { rakeParametersIn, sessionId } = found;
  const members = Object.entries(SIGNATURE_VARIABLES).map(([variable, { member }]) => [
    member,
    irrelevant.has(variable) ? settings[member] : found[member],
  ]);
  return { ...Object.fromEntries(members), rakeParametersIn, sessionId };
}
