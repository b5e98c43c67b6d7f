import { expect, it } from '@jest/globals';

import type { DeliveryFacts } from '../../../rabbitmq/src/consuming/delivery.fixture.ts';
import { READ_HEADERS } from '../envelope/seal.ts';
import { CREATED, SpecPipeline } from './pipeline.fixture.ts';

/**
 * The maximum body that a worker with default settings reads; it truncates larger ones.
 */
const BODY_BYTES = 65_000;
const HEADER_BYTES = 16_000;
const PROPERTY_BYTES = 255;
const MOST_DEPTH = 32;
/**
 * No message blocks the event loop for longer, in CPU time, which a busy machine inflates. A quadratic step
 * takes seconds, however often it is measured.
 */
const MOST_MS = 50;
const RUNS = 12;

/** Parts that can be repeated up to the maximum length of a text. */
const UNITS = [...' -_aä.,:;=%+/0"{[&<@*🂡\\\t\ud83c', '%25', '&amp;', '--a', '00-', '="', '2026-'];
const repeated = (unit: string, bytes: number): string =>
  unit.repeat(Math.floor(bytes / Math.max(1, Buffer.byteLength(unit))));
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at));

/** JSON with at most this many bytes, at each of its limits. */
const VALUES: readonly string[] = [
  ...UNITS.map((unit) => JSON.stringify(repeated(unit, BODY_BYTES / JSON.stringify(unit).length))),
  ...['1', '0.1', '1e9', '-0'].map((digits) => `1${repeated('0', BODY_BYTES)}${digits}`),
  `[${repeated('1,', BODY_BYTES)}1]`,
  `[${repeated('{},', BODY_BYTES)}1]`,
  `{${repeated('"a":1,', BODY_BYTES)}"a":1}`,
  `{${times(BODY_BYTES / 12, (at) => `"m-${at}":1`).join()}}`,
  `{${times(BODY_BYTES / 12, (at) => `"${at * 7_919}":1`).join()}}`,
  `{${times(BODY_BYTES / 20, (at) => `"m-${at}":"\\u0000"`).join()}}`,
  repeated('[', BODY_BYTES / 2) + repeated(']', BODY_BYTES / 2),
  `${repeated('{"a":', BODY_BYTES / 6)}1${repeated('}', BODY_BYTES / 6)}`,
  `"${JSON.stringify(repeated('{"a":', 8_000)).slice(1)}`,
  repeated(' ', BODY_BYTES),
];
const MEMBERS: Readonly<Record<string, readonly string[]>> = {
  'session.create': ['userId', 'nick', 'lang', 'more'],
  'game.open': ['player', 'session', 'player":{"id":"p"},"session":{"launchOptions'],
  'report.ad-hoc.fetch': ['dateFrom', 'userId', 'page'],
  'report.rake.fetch': ['timeZone', 'sort'],
};
const bodies: readonly DeliveryFacts[] = Object.entries(MEMBERS).flatMap(([type, members]) =>
  VALUES.flatMap((value) => {
    const packets = [`{"pattern":"${type}","id":"1","data":${value}}`, `{"pattern":${value},"id":${value}}`];
    const data = members.map((member) => `{"${member}":${value}}${member.includes('{') ? '}' : ''}`);
    return [
      ...packets.map((text) => ({ body: Buffer.from(text) })),
      ...[...data, value].map((text) => ({ properties: { type }, body: Buffer.from(text) })),
    ];
  }),
);

const nested = (depth: number): unknown => (depth === 0 ? 'x' : { a: nested(depth - 1) });
const VALUES_OF_HEADERS: readonly unknown[] = [
  ...UNITS.map((unit) => repeated(unit, HEADER_BYTES)),
  times(HEADER_BYTES, () => null),
  times(HEADER_BYTES / 5, () => ({})),
  nested(MOST_DEPTH),
  Object.fromEntries(times(HEADER_BYTES / 8, (at) => [`m-${at}`, true])),
];
const headers: readonly DeliveryFacts[] = [...READ_HEADERS].flatMap((name) =>
  VALUES_OF_HEADERS.map((value) => ({
    queue: 'poker.reports',
    properties: { type: 'report.rake.fetch' },
    headers: { 'x-seal': 'A'.repeat(44), operator: 'default', [name]: value },
  })),
);

const PROPERTIES =
  'type messageId correlationId replyTo contentType contentEncoding appId userId expiration timestamp'.split(
    ' ',
  );
const properties: readonly DeliveryFacts[] = UNITS.flatMap((unit) =>
  PROPERTIES.map((name) => ({ properties: { [name]: repeated(unit, PROPERTY_BYTES) } })),
);

it.each([
  ['its body', bodies],
  ['its headers', headers],
  ['its properties', properties],
])('a command is settled in no more time than its length costs, whatever is in %s', async (_, messages) => {
  const spec = new SpecPipeline();
  spec.handler = () => Promise.resolve(CREATED);
  let count = 0;
  const usedMs = async (message: DeliveryFacts): Promise<number> => {
    const used = process.threadCpuUsage();
    await spec.process({ ...message, properties: { messageId: `m-${(count += 1)}`, ...message.properties } });
    const { user, system } = process.threadCpuUsage(used);
    return (user + system) / 1_000;
  };
  const slow: unknown[] = [];
  for (const message of messages) {
    // A measurement that something else disturbed is repeated.
    let ms = await usedMs(message);
    for (let run = 1; run < RUNS && ms > MOST_MS; run += 1) ms = Math.min(ms, await usedMs(message));
    if (ms > MOST_MS) slow.push([ms, JSON.stringify(message).slice(0, 200)]);
  }
  expect(slow).toEqual([]);
});
