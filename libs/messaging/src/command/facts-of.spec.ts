import { describe, expect, it } from '@jest/globals';

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
