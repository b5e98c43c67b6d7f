import { createHash } from 'node:crypto';

import { describe, expect, it } from '@jest/globals';

import { CommandError, type Reply } from '#contracts';

import { commandOf } from '../command/command.fixture.ts';
import { errorBodyOf } from './error-body-of.ts';
import { messageIdOf } from './message-id-of.ts';

const failed = (code: 'IDEMPOTENCY_CONFLICT' | 'NOT_FOUND'): Reply => ({
  type: 'command.failed',
  data: errorBodyOf(new CommandError(code), commandOf(), 0),
});
const idOf = (reply: Reply, sequence: number, facts: Parameters<typeof commandOf>[0] = {}) =>
  messageIdOf(commandOf(facts).envelope, reply, sequence);

describe('messageIdOf', () => {
  it('is the id of the command and the sequence', () => {
    expect(idOf(failed('NOT_FOUND'), 0)).toBe('m-1:0');
    expect(idOf(failed('NOT_FOUND'), 12)).toBe('m-1:12');
  });

  it('tells a conflict by the data of the command that it answers', () => {
    const hex = createHash('sha256').update('{"userId":"p-1"}').digest('hex');
    expect(idOf(failed('IDEMPOTENCY_CONFLICT'), 0)).toBe(`m-1:conflict:${hex.slice(0, 16)}`);
  });

  it('gives two writings of the same data one id, and other data another', () => {
    const conflict = (text: string) => idOf(failed('IDEMPOTENCY_CONFLICT'), 0, { body: Buffer.from(text) });
    expect(conflict('{"userId":"p-1","lang":"de"}')).toBe(
      conflict('{ "lang": "\\u0064e", "userId": "p-1" }'),
    );
    expect(conflict('{"userId":"p-1"}')).not.toBe(conflict('{"userId":"p-2"}'));
  });

  it('fits the property, however long the id is', () => {
    const properties = { messageId: 'x'.repeat(200) };
    expect(Buffer.byteLength(idOf(failed('IDEMPOTENCY_CONFLICT'), 0, { properties }))).toBeLessThanOrEqual(
      255,
    );
  });

  it('answers a refused id under a made-up one', () => {
    expect(idOf(failed('NOT_FOUND'), 0, { properties: { messageId: 'x'.repeat(201) } })).toBe('made-up:0');
  });
});
