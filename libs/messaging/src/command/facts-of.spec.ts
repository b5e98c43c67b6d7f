import { describe, expect, it } from '@jest/globals';

import { ENVELOPE_RULES } from '../envelope/envelope-rules.fixture.ts';
import type { CommandTrace } from '../observer/command-tracer.ts';
import { commandOf, RECEIVED_AT_MS } from './command.fixture.ts';
import { factsOf } from './facts-of.ts';

describe('factsOf', () => {
  it('tells ids, names, counts and the time since receipt, and no data', () => {
    const command = commandOf({
      properties: { type: 'report.rake.fetch', correlationId: 'c-1' },
      headers: { operator: 'casino' },
      body: { userId: 'CANARY' },
    });
    command.run.attempts = 3;
    expect(factsOf(command, RECEIVED_AT_MS + 250)).toEqual({
      id: 'm-1',
      correlationId: 'c-1',
      type: 'report.rake.fetch',
      operator: 'casino',
      lane: 'reports',
      attempts: 3,
      durationMs: 250,
    });
  });

  it('tells the player as log lines name players, and no other way', () => {
    const subjectOf = (operator: string, player: string): string => `${operator} ${player.length}`;
    const data = { headers: { operator: 'casino' }, body: { userId: 'CANARY' } };
    const facts = factsOf(commandOf(data, { ...ENVELOPE_RULES, subjectOf }), RECEIVED_AT_MS);
    expect(facts).toMatchObject({ operator: 'casino', subject: 'casino 6' });
    expect(JSON.stringify(facts)).not.toContain('CANARY');
    expect(factsOf(commandOf(data), RECEIVED_AT_MS)).not.toHaveProperty('subject');
  });

  it("tells the trace: this worker's, or the caller's where nothing is traced here", () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const command = commandOf({ headers: { traceparent } });
    expect(factsOf(command, RECEIVED_AT_MS).traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    command.run.trace = { traceId: 'of this worker' } as CommandTrace;
    expect(factsOf(command, RECEIVED_AT_MS).traceId).toBe('of this worker');
  });

  it.each(['no.such.command', 'constructor', 'Session.create', 'p-1@example.com'])(
    'calls the type %s unknown, on the interactive lane',
    (type) => {
      expect(factsOf(commandOf({ properties: { type } }), RECEIVED_AT_MS)).toMatchObject({
        type: 'unknown',
        lane: 'interactive',
      });
    },
  );
});
