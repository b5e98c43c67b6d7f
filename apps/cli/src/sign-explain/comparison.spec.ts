import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { DEFAULT_SIGNATURE_SETTINGS } from '#signing';

import { comparisonOf } from './comparison.ts';
import type { Row } from './read-rows.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const ROW: Row = {
  given: {},
  name: undefined,
  parameters: {
    clientId: 'op1',
    client: 'op1',
    page: '2',
    data: { attributes: { player: { id: 'u 1', active: true }, session: { launchOptions: '{"b":"2"}' } } },
  },
  secret: 'hush',
  settings: DEFAULT_SIGNATURE_SETTINGS,
  expectedSign: undefined,
};
const compare = (expectedSign: string, row: Partial<Row> = {}) =>
  comparisonOf({ ...ROW, expectedSign, ...row });

describe('comparisonOf', () => {
  const RIGHT = sha256('op11u 12hush');

  it.each([
    ['the right one', RIGHT, { kind: 'same' }],
    ['capitals', RIGHT.toUpperCase(), { kind: 'capitals' }],
    ['a blank after it', `${RIGHT} `, { kind: 'capitals' }],
  ])('knows %s', (_, sign, expected) => {
    expect(compare(sign)).toEqual(expected);
  });

  it.each([
    ['client dropped', '1u 12hush'],
    ['the secret left out', 'op11u 12'],
    ['the secret first', 'hushop11u 12'],
    ['a line break after the secret', 'op11u 12hush\n'],
    ['clientId included', 'op1op11u 12hush'],
    ['client dropped, and true, false, null by name', 'trueu 12hush'],
    ['client dropped, and pagination included', '1u 122hush'],
    ['JSON strings left undecoded, and values URL-encoded', 'op11u%201%7B%22b%22%3A%222%22%7Dhush'],
    ['pagination included, and the secret left out', 'op11u 122'],
    ['pagination included, and clientId included', 'op1op11u 122hush'],
  ])('knows %s, in capitals too', (name, signed) => {
    const sign = sha256(signed);
    expect(compare(sign)).toMatchObject({ kind: 'other', mistake: { name }, isInCapitals: false });
    expect(compare(sign.toUpperCase())).toMatchObject({ mistake: { name }, isInCapitals: true });
  });

  it('does not know what is neither', () => {
    expect(compare('ff')).toEqual({ kind: 'other', mistake: undefined, isInCapitals: false });
  });

  it('compares nothing without a secret or a signature', () => {
    expect(compare(RIGHT, { secret: undefined })).toBeUndefined();
    expect(comparisonOf(ROW)).toBeUndefined();
  });
});
