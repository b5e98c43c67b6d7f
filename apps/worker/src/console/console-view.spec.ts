import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '#contracts';
import type { MessagingHealth } from '#messaging';

import { COMMAND } from './command-facts.fixture.ts';
import { consoleView, type Sources } from './console-view.ts';
import { FailureTally } from './failure-tally.ts';

const HEALTH: MessagingHealth = {
  isConnected: true,
  lastError: undefined,
  release: 'RabbitMQ 4.3.6',
  advice: undefined,
  lanes: [{ lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 2048, oldestAgeMs: 40 }],
  compartments: [{ operator: 'acme', operation: 'game.open', inFlight: 3, overflowed: 7 }],
};

/** The view of a worker with these operators; `troubled` has a circuit that is open. */
function viewOf(operators: readonly string[], tally = new FailureTally(), troubled = 'acme') {
  const platform = {
    operators: () => operators,
    get: (name: string) => (operators.includes(name) ? {} : undefined),
    circuits: () => [{ operator: troubled, operation: 'game.open', state: 'open', lastUsedAtMs: 0 }],
    calls: () => [{ operator: troubled, operation: 'game.open', inFlight: 2, waiting: 1 }],
  };
  return consoleView({
    health: HEALTH,
    platform: platform as unknown as Sources['platform'],
    tally,
    redis: undefined,
    lastMinute: { seconds: 60, types: new Map(), outcomes: new Map() },
  });
}

describe('consoleView', () => {
  it('shows each lane with its prefetch', () => {
    expect(viewOf(['acme']).lanes).toEqual([
      { lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 2048, oldestAgeMs: 40 },
    ]);
  });

  it('shows every operator with each of its operations: circuit, in flight, waiting, overflowed', () => {
    const tally = new FailureTally(() => 42);
    tally.circuitChanged('acme', 'game.open', 'open');
    const [acme, other] = viewOf(['acme', 'other'], tally).operators;
    const unused = { inFlight: 0, waiting: 0, overflowed: 0 };
    expect(acme).toEqual({
      operator: 'acme',
      operations: [
        { operation: 'session.create', ...unused },
        expect.objectContaining({
          operation: 'game.open',
          circuit: 'open',
          openSinceMs: 42,
          inFlight: 3,
          waiting: 1,
          overflowed: 7,
        }),
        { operation: 'report.ad-hoc.fetch', ...unused },
        { operation: 'report.rake.fetch', ...unused },
      ],
    });
    expect(other?.operations.every(({ circuit }) => circuit === undefined)).toBe(true);
  });

  it('shows those in trouble of a thousand operators, and says how many are left out', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `operator-${n}`);
    const { operators, operatorsLeftOut } = viewOf(names, new FailureTally(), 'operator-777');
    expect(operators).toHaveLength(50);
    expect(operatorsLeftOut).toBe(950);
    expect(operators[0]?.operator).toBe('operator-777');
  });

  it('shows failures with the advice of the catalogue and who acts, without an id', () => {
    const tally = new FailureTally(() => 42);
    tally.failed(COMMAND, 'FORBIDDEN', 'answered');
    tally.deadLettered('POISON_COMMAND');
    tally.replyParked('REPLY_QUEUE_GONE');
    const view = viewOf(['acme'], tally);
    expect(view.failures).toEqual([
      expect.objectContaining({
        code: 'FORBIDDEN',
        category: 'misconfigured',
        advice: ERROR_CODES.FORBIDDEN.message,
        whoActs: 'the people who run the worker',
        operators: ['acme'],
        count: 1,
        lastAtMs: 42,
      }),
    ]);
    expect(view.deadLetters).toMatchObject([{ reason: 'POISON_COMMAND', count: 1 }]);
    expect(view.parked).toMatchObject([{ reason: 'REPLY_QUEUE_GONE', count: 1 }]);
    expect(JSON.stringify(view)).not.toContain('CANARY');
  });

  it('shows no name of an operator that nobody configured: a caller made it up', () => {
    const tally = new FailureTally();
    tally.failed({ ...COMMAND, operator: 'CANARY' }, 'UNKNOWN_OPERATOR', 'answered');
    const view = viewOf(['acme'], tally);
    expect(view.failures).toMatchObject([{ code: 'UNKNOWN_OPERATOR', operators: [] }]);
    expect(JSON.stringify(view)).not.toContain('CANARY');
  });
});
