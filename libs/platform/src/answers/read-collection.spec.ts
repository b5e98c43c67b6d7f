import { setImmediate as turn } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { hostilePage, largePage } from './large-page.fixture.ts';
import { readCollection } from './read-collection.ts';
import { RAKE_RECORD } from './read-record.ts';

const recordOf = (index: number, further = {}) => ({
  type: 'players-rake',
  id: String(index),
  attributes: { 'user-id': `u-${index}`, currency: 'USD', value: index, ...further },
});
const STRICT = { settings: { reportRecords: 'strict' } } as const;
const META = { 'total-count': 1, 'page-count': 1, 'current-page': 1, 'per-page': 1 };

const readRake = readCollection(RAKE_RECORD);
const read = (
  document: unknown,
  reportRecords: 'strict' | 'lenient' = 'strict',
  currencyPrecisions?: ReadonlyMap<string, number>,
) =>
  readRake(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), {
    settings: { reportRecords },
    currencyPrecisions,
  });
const readRecords = async (document: unknown) =>
  JSON.parse(`[${Buffer.concat((await read(document)).written).toString()}]`) as Record<string, unknown>[];

describe('readCollection', () => {
  it('reads the records of a page in order, and yields to the event loop between slices', async () => {
    const data = Array.from({ length: 20_000 }, (_, index) => recordOf(index));
    let turns = 0;
    let isRead = false;
    const page = readRecords({ data, meta: META }).finally(() => (isRead = true));
    for (; !isRead; turns += 1) await turn();
    expect(turns).toBeGreaterThanOrEqual(10);
    expect((await page).map(({ id, value }) => [id, value])).toEqual(
      data.map(({ id, attributes }) => [id, attributes.value]),
    );
  });

  it.each([
    ['known and unknown ones', ['USD', 'EUR', 'mBTC'], { USD: 2, EUR: null, mBTC: 5 }],
    ['one of the prototype', ['constructor', '__proto__'], { constructor: null, ['__proto__']: null }],
    ['none that has a name', ['', 7, null], {}],
  ])('returns the precision of each currency on the page: %s', async (_, currencies, expected) => {
    const data = currencies.map((currency, index) => recordOf(index, { currency }));
    const precisions = new Map([
      ['USD', 2],
      ['mBTC', 5],
    ]);
    const page = await read({ data, meta: META }, 'lenient', precisions);
    expect(page.precisions).toEqual(expected);
  });

  it('computes equal digests for equal records', async () => {
    const data = [recordOf(1), recordOf(2), recordOf(1), recordOf(1, { value: 7 })];
    const [first, second, again, changed] = (await read({ data, meta: META })).digests;
    expect(again).toBe(first);
    expect(new Set([first, second, changed]).size).toBe(3);
  });

  it('lists the first 10,000 faults and counts all of them', async () => {
    const data = Array.from({ length: 10_001 }, (_, index) => recordOf(index, { value: '1.5' }));
    const { faults, faultCount } = await read({ data, meta: META }, 'lenient');
    expect([faults?.length, faultCount]).toEqual([10_000, 10_001]);
    expect(faults?.at(-1)).toEqual({ pointer: '/records/9999/value', message: 'is not an integer' });
  });

  it('names the invalid record in any slice', async () => {
    const data = Array.from({ length: 1_000 }, (_, index) => recordOf(index));
    (data[950] as { id: string }).id = '';
    await expect(read({ data, meta: META })).rejects.toThrow('/data/950/id is not a non-empty string');
  });

  it('reads records like JSON.parse, regardless of white space and other members', async () => {
    const further = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(further),
        further,
        fc.constantFrom(0, 1, '\t'),
        async (all, beside, indent) => {
          const data = all.map((x, index) => recordOf(index, { x }));
          const document = JSON.stringify(
            { ...beside, data, links: { '"data":[': [beside] }, meta: META },
            null,
            indent,
          );
          // Serialized once, because JSON.stringify writes -0 as 0.
          const sent = JSON.parse(JSON.stringify(all)) as unknown;
          expect((await readRecords(document)).map(({ x }) => x)).toEqual(sent);
        },
      ),
    );
  });

  it.each([
    ['ordinary records', largePage()],
    ['records of a hostile platform', hostilePage()],
  ])('blocks the event loop for less than 50 ms with a page of 16 MiB of %s', async (_, page) => {
    // A full garbage collection caused by the test runner may occur during one reading, but hardly during all
    // three.
    const longest = [];
    do longest.push(await longestTurnMs(page));
    while (Math.min(...longest) >= 50 && longest.length < 3);
    expect(Math.min(...longest)).toBeLessThan(50);
  });

  it.each([
    ['a comma too many', '{"data":[{"id":1},],"meta":{}}', 'the body is not JSON'],
    ['a bracket too many', '{"data":[]],"meta":{}}', 'the body is not JSON'],
    ['a brace that closes the list', '{"data":[},"meta":{}}', 'the body is not JSON'],
    ['a list that does not end', '{"data":[{"type":"players-rake"}', 'the body is not JSON'],
    ['two lists', '{"data":[],"meta":{},"data":[]}', '/data is not a list'],
    ['a list of another name', '{"x":"data","date":[],"meta":{}}', '/data is not a list'],
    ['a list within another member', '{"links":{"data":[]},"meta":{}}', '/data is not a list'],
    ['a list for a document', '["data",[]]', 'the body is not an object'],
    ['a record that is nested deep', `{"data":[${'['.repeat(100)}`, 'the body is nested too deep'],
    ['a record that is too large', `{"data":["${'x'.repeat(90_000)}"]}`, 'a record is too large'],
    [
      'too much beside its records',
      `{"data":[],"links":"${'x'.repeat(300_000)}"}`,
      'the body is too large beside its records',
    ],
    [
      'too many currencies',
      {
        data: Array.from({ length: 1_001 }, (_, index) => recordOf(index, { currency: `C${index}` })),
        meta: META,
      },
      'there are too many currencies',
    ],
  ])('refuses a page with %s', async (_, document, reason) => {
    await expect(read(document)).rejects.toThrow(reason);
  });
});

/**
 * Returns the CPU time of the longest event loop turn while a page is read. CPU time does not depend on the
 * machine's load.
 */
async function longestTurnMs(page: Buffer): Promise<number> {
  let longestMs = 0;
  let isRead = false;
  const reading = readRake(page, STRICT).finally(() => (isRead = true));
  while (!isRead) {
    const used = process.threadCpuUsage();
    await turn();
    const { user, system } = process.threadCpuUsage(used);
    longestMs = Math.max(longestMs, (user + system) / 1_000);
  }
  const { written } = await reading;
  expect(Buffer.concat(written).length).toBeGreaterThan(8 * 1024 * 1024);
  return longestMs;
}
