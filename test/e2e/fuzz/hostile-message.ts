import type { Options } from 'amqplib';
import fc from 'fast-check';

import { COMMAND_TYPES } from '#contracts';
import { COMMANDS } from '#contracts/validation';

import { READ_HEADERS } from '../../../libs/messaging/src/envelope/seal.ts';

export type ReplyTo = 'usable' | 'direct' | 'missing' | 'ours' | 'gone';

/** A message of an attacker, which the broker accepts unchanged. */
export interface HostileMessage {
  /** The routing key at the exchange, or a queue of the service. */
  readonly to: { readonly routingKey: string } | { readonly queue: 'interactive' | 'reports' | 'quarantine' };
  readonly content: Buffer;
  readonly replyTo: ReplyTo;
  /** All properties except `replyTo` and `correlationId`. */
  readonly options: Options.Publish;
  /**
   * The entries of a field table that is sent instead of the headers. Of the other properties, only `type` is
   * sent then.
   */
  readonly rawHeaders?: Buffer;
}

const examples = COMMANDS.flatMap((command) => command.examples.map(({ data }) => JSON.stringify(data)));
const MEMBERS = new Set([
  ...(examples.join().match(/(?<=")\w+(?=":)/g) ?? []),
  ...'sort pattern data __proto__ constructor toString'.split(' '),
]);
const HEADERS = [...READ_HEADERS, 'x-death', '__proto__'];

/** At most 255 bytes, the limit of short strings in AMQP. */
const shortText = fc.oneof(
  fc.constantFrom('constructor', '__proto__', ''),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ maxLength: 255 }),
);

/** Few reports, because their lane has only four in flight at a time. */
const mostlyType = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom('session.create', 'game.open') },
  { weight: 1, arbitrary: fc.constantFrom<string>(...COMMAND_TYPES) },
  { weight: 1, arbitrary: shortText },
);

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
const members = fc
  .array(
    fc.tuple(fc.constantFrom(...MEMBERS), fc.oneof(json, fc.constantFrom('"p-1"', 'null', '1e400', '-0'))),
  )
  .map((pairs) => `{${pairs.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`);
const packet = fc
  .tuple(fc.oneof(fc.constantFrom(...COMMAND_TYPES.map((type) => JSON.stringify(type))), json), members, json)
  .map(([pattern, data, id]) => `{"pattern":${pattern},"data":${data},"id":${id}}`);
const nested = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"userId":['), fc.nat(4_000))
  .map(([bracket, levels]) => bracket.repeat(levels));
const large = fc.integer({ min: 60_000, max: 70_000 }).map((length) => `{"userId":"${'x'.repeat(length)}"}`);
/** A valid command with some bytes changed, or truncated. */
const damaged = fc
  .tuple(
    fc.constantFrom(...examples),
    fc.array(fc.tuple(fc.nat(100), fc.nat(255)), { maxLength: 3 }),
    fc.nat(400),
  )
  .map(([text, changes, length]) => {
    const bytes = Buffer.from(text);
    for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte;
    return bytes.subarray(0, length);
  });

const content = fc.oneof(
  { weight: 16, arbitrary: damaged },
  { weight: 16, arbitrary: fc.oneof(members, packet).map((text) => Buffer.from(text)) },
  { weight: 8, arbitrary: fc.oneof(json, fc.string({ unit: 'binary' })).map((text) => Buffer.from(text)) },
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 2, arbitrary: nested.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: large.map((text) => Buffer.from(text)) },
);

const headerValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ '!': 'double', value })),
  fc.boolean(),
  fc.constantFrom(null, 99, '99', 'default', '1', 'x'.repeat(5_000), '2026-01-01T00:00:00Z'),
  fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 3 }),
  // amqplib interprets an object with the member `!` as a value of the type in that member.
  fc.dictionary(
    fc.string({ minLength: 1, maxLength: 20 }).filter((name) => name !== '!'),
    fc.string(),
    { maxKeys: 3 },
  ),
);
const headers = fc.dictionary(
  fc.oneof(fc.constantFrom(...HEADERS), fc.string({ maxLength: 30 })),
  headerValue,
  { maxKeys: 4 },
);
const options: fc.Arbitrary<Options.Publish> = fc.record(
  {
    type: mostlyType,
    messageId: fc.oneof(fc.constantFrom('a', 'b', 'c'), shortText),
    headers,
    contentType: shortText,
    contentEncoding: shortText,
    appId: shortText,
    timestamp: fc.oneof(fc.nat(), fc.constant(Math.floor(Date.now() / 1000))),
    priority: fc.nat(255),
  },
  { requiredKeys: [] },
);

export const replyTo = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<ReplyTo>('usable', 'direct') },
  { weight: 1, arbitrary: fc.constantFrom<ReplyTo>('missing', 'ours', 'gone') },
);

/** Any message that the broker accepts from a caller. */
export const hostileMessage: fc.Arbitrary<HostileMessage> = fc.record({
  to: fc.oneof(
    { weight: 6, arbitrary: fc.record({ routingKey: mostlyType }) },
    { weight: 1, arbitrary: fc.record({ queue: fc.constantFrom('interactive', 'reports', 'quarantine') }) },
  ),
  content,
  replyTo,
  options,
});
