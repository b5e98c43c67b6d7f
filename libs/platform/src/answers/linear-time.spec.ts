import { expect, it } from '@jest/globals';

import { readCollection } from './read-collection.ts';
import { AD_HOC_RECORD, RAKE_RECORD } from './read-record.ts';

/** As long as a record may be. */
const RECORD_BYTES = 60_000;
/** A page is as slow as an ordinary one of its length, give or take; a quadratic step would cost a thousand times as much. */
const MOST_RATIO = 10;
/** Below it, a busy machine and its clock say more than the code. */
const LEAST_MS = 20;

/** What can be repeated in a name or a text until it is as long as it may be. */
const UNITS = ['-', '--a', '-a', ' ', '\\"', '\\\\', '\\u0041', '\\ud83c\\udca1', '🂡', '{', '},{', ':'];
const repeated = (unit: string, length = RECORD_BYTES) => unit.repeat(Math.floor(length / unit.length));
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const members = (nameOf: (at: number) => unknown) =>
  `{${Array.from({ length: RECORD_BYTES / 12 }, (_, at) => `"${nameOf(at)}":1`).join()}}`;

/** Values of JSON, each at its limit. */
const VALUES: readonly string[] = [
  ...UNITS.map((unit) => `"${repeated(unit)}"`),
  ...['1', '0.1', '1e', '-0'].map((digits) => `1${repeated('0')}${digits}`),
  repeated('1234567890'),
  `0.${repeated('1234567890')}`,
  `1e${repeated('9', 300)}`,
  ...['1', '12345678901234567890', '[]', '{}', nested('[', ']', 12)].map(
    (each) => `[${repeated(`${each},`)}1]`,
  ),
  members(() => 'a'),
  members((at) => `a-${at}`),
  members((at) => at * 7919),
  nested('[', ']', RECORD_BYTES / 2),
  nested('{"a":', '}', RECORD_BYTES / 6).replace(/:}/, ':1}'),
  `${repeated(' ')}1`,
];

/** A page whose one record has a member more. */
const pageWith = (type: string, member: string) =>
  `{"data":[{"type":"${type}","id":"1","attributes":{"user-id":"u","date":"2026-01-01","currency":"USD","value":1,${member}}}],` +
  '"meta":{"total-count":1,"page-count":1,"current-page":1,"per-page":1}}';

const read = (text: string, shape = RAKE_RECORD) =>
  readCollection(Buffer.from(text), shape, { strictness: 'lenient' });
const ORDINARY = pageWith('players-rake', `"further":${members((at) => `member-${at % 168}`)}`);

/** The best of up to three runs: a disturbed run says nothing. */
async function leastMs(work: () => Promise<unknown>, enoughMs = 0): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < 3 && least > enoughMs; run += 1) {
    const used = process.threadCpuUsage();
    await work().catch(() => undefined);
    const { user, system } = process.threadCpuUsage(used);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

it.each<[string, readonly string[], typeof RAKE_RECORD?]>([
  ['a member of a record', VALUES.map((value) => pageWith('players-rake', `"further":${value}`))],
  ['its name', UNITS.map((unit) => pageWith('players-rake', `"${repeated(unit)}":1`))],
  ['an amount', VALUES.map((value) => pageWith('ad-hoc-report', `"win":${value}`)), AD_HOC_RECORD],
  ['what is beside the records', VALUES.map((value) => `{"links":${value},"data":[],"meta":${value}}`)],
])('a page takes no more than its length to read, whatever it holds: %s', async (...[, texts, shape]) => {
  const mostMs = MOST_RATIO * Math.max(LEAST_MS, await leastMs(() => read(ORDINARY)));
  for (const text of texts) {
    const ms = await leastMs(() => read(text, shape), mostMs);
    expect({ text: text.slice(0, 300), isSlow: ms > mostMs && ms }).toMatchObject({ isSlow: false });
  }
});
