import fc from 'fast-check';

import { entry, raw } from '../raw-message.ts';

const FIXED = { b: 1, B: 1, t: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5, d: 8, l: 8 };
const fixed = Object.entries(FIXED).map(([type, width]) =>
  fc
    .uint8Array({ minLength: width, maxLength: width })
    .map((bytes) => Buffer.concat([Buffer.from(type), bytes]))
    .filter(isReadable),
);

/** RabbitMQ closes a connection that sends a float that is not finite: Erlang has no such values. */
function isReadable(value: Buffer): boolean {
  const [type] = value.toString('latin1');
  if (type === 'f') return Number.isFinite(value.readFloatBE(1));
  return type !== 'd' || Number.isFinite(value.readDoubleBE(1));
}

/** Entries of a table with values of every type that RabbitMQ supports, also nested in lists and tables. */
export const fieldTable: fc.Arbitrary<Buffer> = fc.letrec<{ value: Buffer; entry: Buffer; table: Buffer }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }).map(raw.text),
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(raw.timestamp),
        fc.constant(raw.nothing()),
        ...fixed,
      ),
      fc.array(tie('value'), { maxLength: 4 }).map((values) => raw.list(...values)),
      fc.array(tie('entry'), { maxLength: 4 }).map((entries) => raw.table(...entries)),
    ),
    entry: fc
      .tuple(
        fc.oneof(fc.constantFrom('operator', '__proto__', ''), fc.string({ maxLength: 20 })),
        tie('value'),
      )
      .map(([name, value]) => entry(name, value)),
    table: fc.array(tie('entry'), { maxLength: 5 }).map((entries) => Buffer.concat(entries)),
  }),
).table;

const MOST_DEPTH = 3_000;
const MOST_BYTES = 120_000;

/**
 * One header at and beyond the limits of depth, length and number; the broker itself is slow to deliver
 * deeper ones.
 */
export const excessiveTable: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom('operator', 'x-deadline', 'x-seal', 'x-progress', 'traceparent', 'more'),
    fc.oneof(
      fc
        .tuple(fc.integer({ min: 1, max: MOST_DEPTH }), fc.constantFrom('A', 'F'))
        .map(([depth, type]) => raw.nested(depth, type)),
      fc.integer({ min: 6, max: MOST_BYTES }).map(raw.nulls),
      fc
        .tuple(fc.constantFrom(...' -,=;z', 'ä', '%25'), fc.integer({ min: 1, max: MOST_BYTES / 3 }))
        .map(([unit, times]) => raw.text(unit.repeat(times))),
    ),
  )
  .map(([name, value]) => Buffer.concat([entry('x-seal', raw.text('A'.repeat(44))), entry(name, value)]));
