import { describe, expect, it } from '@jest/globals';

import type { QueueOverview, MessagingHealth } from '#messaging';
import { OPERATIONS } from '#platform';

import { COMMAND } from './command-facts.fixture.ts';
import { consoleView, type Sources } from './console-view.ts';
import { FailureTally } from './failure-tally.ts';

const HEALTH: MessagingHealth = {
  isConnected: true,
  lastError: undefined,
  release: 'RabbitMQ 4.3.6',
  advice: undefined,
  redis: undefined,
  lanes: [{ lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 2048, oldestAgeMs: 40 }],
  compartments: [{ operator: 'acme', operation: 'game.open', inFlight: 3, overflowed: 7 }],
};

/** The view of a worker with these operators; `troubled` has a circuit that is open. */
function viewOf(
  operators: readonly string[],
  tally = new FailureTally(),
  troubled = 'acme',
  look?: QueueOverview,
) {
  const troubles = { operator: troubled, operation: 'game.open' } as const;
  const platform = {
    get: (name: string) => (operators.includes(name) ? {} : undefined),
    operations: () => [{ ...troubles, inFlight: 2, waiting: 1 }],
  };
  return consoleView({
    prefix: 'poker',
    bus: HEALTH,
    circuits: [{ ...troubles, state: 'open', cause: 'HTTP 503', lastUsedAtMs: 0 }],
    look,
    operators,
    platform: platform as unknown as Sources['platform'],
    tally,
    types: [],
  });
}

describe('consoleView', () => {
  it('names the worker by its process, and shows every operator with each operation', () => {
    const tally = new FailureTally(() => 42);
    tally.troubleChanged('game.open acme', true);
    const { worker, operators } = viewOf(['acme', 'other'], tally);
    expect(worker).toContain(`process ${process.pid}`);
    const unused = { inFlight: 0, waiting: 0, overflowed: 0 };
    const held = { inFlight: 3, waiting: 1, overflowed: 7 };
    const open = { circuit: 'open', cause: 'HTTP 503', openSinceMs: 42, ...held };
    const operations = OPERATIONS.map((operation) => ({
      operation,
      ...(operation === 'game.open' ? open : unused),
    }));
    expect(operators[0]).toEqual({ operator: 'acme', operations });
    expect(operators[1]?.operations.every(({ circuit }) => circuit === undefined)).toBe(true);
  });

  it('shows those in trouble of a thousand operators and nine others, and says how many are left out', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `operator-${n}`);
    const { operators, operatorsLeftOut } = viewOf(names, new FailureTally(), 'operator-777');
    expect([operators.length, operatorsLeftOut]).toEqual([10, 990]);
    expect(operators[0]?.operator).toBe('operator-777');
  });

  it.each(['$(reboot)', "a'b", '-x', 'a b', 'a\nreboot', ''])(
    'gives no line to type with the id %j, which a caller made up',
    (id) => {
      const tally = new FailureTally();
      tally.failed({ ...COMMAND, id }, 'UNKNOWN_OPERATOR', 'answered');
      const last = { id, type: 'made-up', queue: '', failedAt: undefined, failure: undefined };
      const kept = { queue: 'q', messages: 1, reasons: [{ reason: id, count: 1, since: undefined, last }] };
      const view = viewOf([], tally, 'acme', { queues: [], deadLetters: kept, parked: kept });
      const [{ line, trace, last: shown } = {}] = view.service?.deadLetters.reasons ?? [];
      expect([view.failures[0]?.line, line, trace, shown?.type]).toEqual(Array(4).fill(undefined));
      expect(view.service?.parked.line).toBe('poker-bridge replies list');
    },
  );

  it('shows no name of an operator that nobody configured: a caller made it up', () => {
    const tally = new FailureTally();
    tally.failed({ ...COMMAND, operator: 'CANARY' }, 'UNKNOWN_OPERATOR', 'answered');
    const view = viewOf(['acme'], tally);
    expect(view.failures).toMatchObject([{ code: 'UNKNOWN_OPERATOR', operators: [] }]);
    expect(JSON.stringify(view)).not.toContain('CANARY');
  });
});
