import { inspect } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { describeError } from './describe-error.ts';

const CANARY = 'CANARY';

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('no error was thrown');
}

class BrokerLost extends Error {
  override readonly name = 'BrokerLost';
}

describe('describeError', () => {
  it.each([
    ['JSON.parse', () => JSON.parse(`{"nick":${CANARY}}`), 'SyntaxError'],
    ['JSON.parse, over frames', () => JSON.parse(`\n    at ${CANARY} (a:1:1)`), 'SyntaxError'],
    ['new URL', () => throwInvalidUrl(), 'TypeError'],
  ])('describes an error thrown by %s without its input', (_, act, name) => {
    const error = thrownBy(act);
    expect(inspect(error)).toContain(CANARY);
    const description = describeError(error);
    expect(description).toMatchObject({ name });
    expect(description).not.toHaveProperty('message');
    expect(JSON.stringify(description)).not.toContain(CANARY);
  });

  it("keeps the messages of this service's own errors, and of operating system errors with any name", () => {
    expect(describeError(new BrokerLost('The broker is away.'))).toMatchObject({
      name: 'BrokerLost',
      message: 'The broker is away.',
    });
    const facts = { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 127.0.0.1:5672' };
    const error = Object.assign(new TypeError(), { ...facts, syscall: 'connect' });
    expect(describeError(error)).toMatchObject({ name: 'TypeError', ...facts });
  });

  it('returns at most eight stack frames', () => {
    const deep = (depth: number): Error => (depth === 0 ? new Error('x') : deep(depth - 1));
    const { frames } = describeError(deep(20));
    expect(frames).toHaveLength(8);
    expect(frames?.[0]).toMatch(/^at deep .*describe-error\.spec\.ts/);
  });

  it.each([undefined, `Error: old\n    at ${CANARY}`])(
    'returns no frames of the stack %j, which does not contain the message: its lines may belong to another message',
    (stack) => {
      expect(describeError(Object.assign(new Error('new'), { stack }))).toEqual({
        name: 'Error',
        message: 'new',
      });
    },
  );

  it('describes up to three nested causes', () => {
    const nested = (depth: number): Error =>
      new BrokerLost(`level ${depth}`, depth === 5 ? {} : { cause: nested(depth + 1) });
    const shown = JSON.stringify(describeError(nested(0))).match(/level \d/g);
    expect(shown).toEqual(['level 0', 'level 1', 'level 2', 'level 3']);
    const loop = new BrokerLost('loop');
    loop.cause = loop;
    expect(JSON.stringify(describeError(loop)).match(/loop/g)).toHaveLength(4);
  });

  it.each([CANARY, { message: CANARY, stack: CANARY }, undefined, null, 7])(
    'returns only the type of %j',
    (thrown) => {
      expect(describeError(thrown)).toEqual({ name: typeof thrown });
    },
  );
});

/** Throws the error of `new URL`; in Jest, Node.js's own error belongs to another realm. */
function throwInvalidUrl(): never {
  throw Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL', input: CANARY });
}
