import { expect, it } from '@jest/globals';

import { Redactor } from '../errors/redactor.ts';
import { readErrors } from '../errors/read-errors.ts';
import { readCollection } from './read-collection.ts';
import { readGame, readSession } from './read-launch.ts';
import { AD_HOC_RECORD, RAKE_RECORD } from './read-record.ts';

/** As long as a record may be. */
const RECORD_BYTES = 60_000;
/** A page is as slow as an ordinary one of its length, give or take; a quadratic step would cost a thousand times as much. */
const MOST_RATIO = 10;
/** Below it, a busy machine and its clock say more than the code. */
const LEAST_MS = 20;

/** What can be repeated in a name or a text until it is as long as it may be. */
const UNITS = [
  '-',
  '--a',
  '-a',
  '_',
  'a',
  ' ',
  '\\"',
  '\\\\',
  '\\u0041',
  '\\ud83c\\udca1',
  'ä',
  '🂡',
  '%',
  '%25',
  '&amp;',
  '+',
  '\t'.replace('\t', '\\t'),
  '/',
  '{',
  '[',
  '},{',
  ',',
  ':',
];
const repeated = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

/** Values of JSON, each at its limit. */
const VALUES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(UNITS.map((unit) => [`text ${unit}`, `"${repeated(unit, RECORD_BYTES)}"`])),
  ...Object.fromEntries(
    ['1', '9', '0.1', '1e', '-0'].map((digits) => [
      `number ${digits}`,
      `1${repeated('0', RECORD_BYTES)}${digits}`,
    ]),
  ),
  'a long integer': repeated('1234567890', RECORD_BYTES),
  'a long fraction': `0.${repeated('1234567890', RECORD_BYTES)}`,
  'a long exponent': `1e${repeated('9', 300)}`,
  'a list of numbers': `[${repeated('1,', RECORD_BYTES)}1]`,
  'a list of integers that are long': `[${repeated('12345678901234567890,', RECORD_BYTES)}1]`,
  'a list of lists': `[${repeated('[],', RECORD_BYTES)}1]`,
  'a list of objects': `[${repeated('{},', RECORD_BYTES)}1]`,
  'members of one name': `{${repeated('"a":1,', RECORD_BYTES)}"a":1}`,
  'members of all names': `{${Array.from({ length: RECORD_BYTES / 12 }, (_, at) => `"a-${at}":1`).join()}}`,
  'members of numbers': `{${Array.from({ length: RECORD_BYTES / 12 }, (_, at) => `"${at * 7919}":1`).join()}}`,
  'deep lists': nested('[', ']', RECORD_BYTES / 2),
  'lists as deep as they may be': repeated(`${nested('[', ']', 12)},`, RECORD_BYTES).replace(
    /^(.*),$/s,
    '[$1]',
  ),
  'deep objects': nested('{"a":', '}', RECORD_BYTES / 6).replace(/:}/, ':1}'),
  'white space': `${repeated(' ', RECORD_BYTES)}1`,
};
const NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  UNITS.map((unit) => [`a name of ${unit}`, `"${repeated(unit, RECORD_BYTES)}":1`]),
);

/** A page whose one record has a member more. */
const pageWith = (type: string, member: string) =>
  `{"data":[{"type":"${type}","id":"1","attributes":{"user-id":"u","date":"2026-01-01","currency":"USD","value":1,${member}}}],` +
  '"meta":{"total-count":1,"page-count":1,"current-page":1,"per-page":1}}';
const recordsOf = (members: readonly string[]) => members.map((member) => pageWith('players-rake', member));

/** Texts that stand at every place of an answer, one after the other. */
const READERS: Readonly<Record<string, { texts: readonly string[]; read: (text: string) => unknown }>> = {
  'a page of rake': {
    texts: recordsOf([
      ...Object.values(VALUES).map((value) => `"further":${value}`),
      ...Object.values(NAMES),
    ]),
    read: (text) => readCollection(Buffer.from(text), RAKE_RECORD, { strictness: 'strict' }),
  },
  'a lenient page of amounts': {
    texts: Object.values(VALUES).map((value) => pageWith('ad-hoc-report', `"win":${value}`)),
    read: (text) => readCollection(Buffer.from(text), AD_HOC_RECORD, { strictness: 'lenient' }),
  },
  'what is beside the records': {
    texts: Object.values(VALUES).map((value) => `{"links":${value},"data":[],"meta":${value}}`),
    read: (text) => readCollection(Buffer.from(text), RAKE_RECORD, { strictness: 'strict' }),
  },
  'a session': {
    texts: Object.values(VALUES).map(
      (value) =>
        `{"data":{"type":"session","id":${value},"attributes":{"user-id":"u","session-id":${value},"auth":${value},"redirect-url":${value}}}}`,
    ),
    read: (text) => readSession(text, 'u', { mayBeHttp: false }, 'same'),
  },
  'a game': {
    texts: Object.values(VALUES).map(
      (value) =>
        `{"data":{"type":"GameSession","id":${value},"attributes":{"playerId":"u","sessionId":${value},"auth":${value},"url":${value}}}}`,
    ),
    read: (text) => readGame(text, 'u', { mayBeHttp: false }),
  },
  'an error': {
    texts: UNITS.map((unit) =>
      JSON.stringify({
        errors: Array.from({ length: 20 }, () => ({ detail: repeated(unit, 3_000), title: unit })),
      }),
    ),
    read: (text) => {
      const redactor = new Redactor([UNITS, 'a value', '%25'.repeat(80), '-'.repeat(255)]);
      return readErrors(text).entries.map(({ detail = '' }) => redactor.redact(detail));
    },
  },
};

const ORDINARY = pageWith(
  'players-rake',
  Array.from(
    { length: RECORD_BYTES / 30 },
    (_, at) => `"member-${at % 24}-${at % 7}":"${at} is ordinary"`,
  ).join(),
);

async function usedMs(read: (text: string) => unknown, text: string): Promise<number> {
  const used = process.threadCpuUsage();
  await (async () => read(text))().catch(() => undefined);
  const { user, system } = process.threadCpuUsage(used);
  return (user + system) / 1_000;
}

/** The best of up to three runs: a disturbed run says nothing. */
async function leastMs(read: (text: string) => unknown, text: string, enoughMs = 0): Promise<number> {
  let least = await usedMs(read, text);
  for (let run = 0; run < 2 && least > enoughMs; run += 1) least = Math.min(least, await usedMs(read, text));
  return least;
}

it.each(Object.keys(READERS))(
  'takes no more than its length to read, whatever it holds: %s',
  async (name) => {
    const { texts, read } = READERS[name]!;
    const ordinary = await leastMs(READERS['a page of rake']!.read, ORDINARY);
    const mostMs = MOST_RATIO * Math.max(LEAST_MS, ordinary);
    for (const text of texts) {
      const ms = await leastMs(read, text, mostMs);
      expect({ text: `${text.slice(0, 300)}…`, isSlow: ms > mostMs && ms }).toEqual({
        text: expect.any(String),
        isSlow: false,
      });
    }
  },
);
