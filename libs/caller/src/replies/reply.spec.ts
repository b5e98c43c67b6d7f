import { describe, expect, it } from '@jest/globals';

import { failure, message } from './message.fixture.ts';
import { readReply } from './reply.ts';

describe('readReply', () => {
  it('reads type, data and where the reply belongs', () => {
    expect(readReply(message('session.created', { userId: 'p-1' }))).toEqual({
      id: 'c-1:0 session.created',
      type: 'session.created',
      data: { userId: 'p-1' },
      commandId: 'c-1',
      correlationId: 'correlation',
      sequence: 0,
      isFinal: true,
    });
  });

  it('gives each failure of a command that was sent again an id of its own', () => {
    const [first, second] = ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:01.000Z'].map(
      (at) => readReply(message('command.failed', failure('OVERLOADED', at))).id,
    );
    expect(first).not.toBe(second);
  });

  it('keeps every digit of an integer', () => {
    const reply = readReply(message('report.page', '{"records":[{"value":12345678901234567890}]}'));
    expect(reply.data).toEqual({ records: [{ value: 12_345_678_901_234_567_890n }] });
  });

  it.each(['{', '5', 'null', ''])('refuses the body %j', (body) => {
    expect(() => readReply(message('session.created', body))).toThrow(
      expect.objectContaining({ code: 'REPLY_UNREADABLE', commandId: 'c-1' }),
    );
  });
});
