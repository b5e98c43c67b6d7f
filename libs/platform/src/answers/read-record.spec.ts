import { describe, expect, it } from '@jest/globals';

import type { RecordFault } from '#contracts';

import { parseBody } from './document.ts';
import { AD_HOC_RECORD, RAKE_RECORD, readRecord, type RecordShape } from './read-record.ts';

const AD_HOC = {
  type: 'ad-hoc-report',
  id: 'record-0',
  attributes: {
    'user-id': 'u-1',
    date: '2026-01-01',
    currency: 'USD',
    ...Object.fromEntries(AD_HOC_RECORD.integers.map((name, place) => [name, place])),
  },
};
const RAKE = {
  type: 'players-rake',
  id: 'record-0',
  attributes: { 'user-id': 'u', currency: 'EUR', value: 1 },
};

/** Returns the JSON of the record that is read from a resource, which is given as a value or as JSON. */
function read(shape: RecordShape, resource: unknown, tolerate?: (fault: RecordFault) => void): string {
  const text = typeof resource === 'string' ? resource : JSON.stringify(resource);
  return JSON.stringify(readRecord(parseBody(text), shape, 0, tolerate));
}

describe('readRecord', () => {
  it.each([
    ['', null],
    ['/type', { ...AD_HOC, type: 'players-rake' }],
    ['/id', { ...AD_HOC, id: undefined }],
    ['/attributes', { ...AD_HOC, attributes: undefined }],
    ['/attributes/date', adHocWith({ date: undefined })],
  ])('rejects an invalid %s even if faults are tolerated', (member, resource) => {
    expect(() => read(AD_HOC_RECORD, resource, () => undefined)).toThrow(`/data/0${member} is not `);
  });

  it.each([
    ['user-id', undefined],
    ['user-id', 1.5],
    ['currency', 1],
    ['win', 288.31],
    ['win', 1e30],
    ['win', '5.12'],
  ])('rejects %s = %j, and names the setting that tolerates it', (name, value) => {
    expect(() => read(AD_HOC_RECORD, adHocWith({ [name]: value }))).toThrow(
      new RegExp(`^/data/0/attributes/${name} .*; REPORT_RECORDS=lenient passes such records on$`),
    );
  });

  it('passes an invalid record on unchanged if its faults are tolerated', () => {
    const odd = adHocWith({ 'user-id': true, win: 1.5, loss: undefined, 'cash-result': null });
    const faults: RecordFault[] = [];
    const text = read(AD_HOC_RECORD, JSON.stringify(odd).replace('1.5', '12345678901234567890.5'), (fault) =>
      faults.push(fault),
    );
    expect(text).toContain('"userId":true,"date":"2026-01-01","currency":"USD","moneyType":0,');
    expect(text).toContain('"win":12345678901234567890.5,"deposit":3,');
    expect(faults).toEqual([
      { pointer: '/records/0/userId', message: 'is not a non-empty string' },
      { pointer: '/records/0/win', message: 'is not an integer' },
      { pointer: '/records/0/loss', message: 'is absent' },
      { pointer: '/records/0/cashResult', message: 'is not an integer' },
    ]);
  });

  it('accepts a text of digits as an integer, and an integer as an id, and preserves all digits', () => {
    const attributes = { currency: 'EUR', value: '-0028831', 'user-id': 17 };
    const text = JSON.stringify({ ...RAKE, attributes }).replace('"record-0"', '12345678901234567890');
    expect(read(RAKE_RECORD, text)).toBe(
      '{"id":"12345678901234567890","currency":"EUR","value":-28831,"userId":"17"}',
    );
    const large = JSON.stringify(RAKE).replace('"value":1', '"value":-123456789012345678901234567890');
    expect(read(RAKE_RECORD, large)).toContain('"value":-123456789012345678901234567890}');
  });

  it('reads the id from the attributes if the resource has none', () => {
    const attributes = { ...RAKE.attributes, id: 'from-attributes' };
    expect(read(RAKE_RECORD, { type: RAKE.type, attributes })).toContain('{"id":"from-attributes",');
    expect(read(RAKE_RECORD, { ...RAKE, attributes })).toContain('{"id":"record-0",');
  });

  it('converts names to camelCase, and keeps hostile names from overwriting the prototype or validated members', () => {
    const hostile =
      '"value":1,"a--b-1":2,"end-":3,"userId":4,"user--id":5,"__proto__":{"x":1},"-__proto__":{"y":1}';
    expect(read(RAKE_RECORD, JSON.stringify(RAKE).replace('"value":1', hostile))).toBe(
      '{"id":"record-0","userId":"u","currency":"EUR","value":1,"aB1":2,"end-":3}',
    );
  });
});

function adHocWith(changes: Record<string, unknown>) {
  return { ...AD_HOC, attributes: { ...AD_HOC.attributes, ...changes } };
}
