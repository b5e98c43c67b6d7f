import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES, type ErrorCode } from '#contracts';
import type { QueueOverview, MessagingHealth } from '#messaging';
import { OPERATIONS } from '#platform';

import { COMMAND } from './command-facts.fixture.ts';
import { consoleView, type Sources } from './console-view.ts';
import { FailureTally } from './failure-tally.ts';

const HEALTH: MessagingHealth = {
  isConnected: true,
  isBlocked: false,
  lastError: undefined,
  release: 'RabbitMQ 4.3.6',
  advice: undefined,
  redis: undefined,
  lanes: [{ lane: 'interactive', state: 'consuming', inFlight: 3, prefetch: 2048, oldestAgeMs: 40 }],
  compartments: [{ operator: 'acme', operation: 'game.open', inFlight: 3, overflowed: 7 }],
};

/** The view of a worker with these operators; the circuit of `troubled` is open. */
function viewOf(
  operators: readonly string[],
  tally = new FailureTally(),
  troubled = 'acme',
  overview?: QueueOverview,
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
    overview,
    operators,
    platform: platform as unknown as Sources['platform'],
    tally,
    types: [],
  });
}

describe('consoleView', () => {
  it('identifies the worker by host and process, and shows each operation of every operator', () => {
    const tally = new FailureTally(() => 42);
    tally.troubleChanged({ operation: 'game.open', operator: 'acme' }, true);
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

  it('shows failing operators and nine others of a thousand, and counts the omitted ones', () => {
    const names = Array.from({ length: 1000 }, (_, n) => `operator-${n}`);
    const { operators, operatorsLeftOut } = viewOf(names, new FailureTally(), 'operator-777');
    expect([operators.length, operatorsLeftOut]).toEqual([10, 990]);
    expect(operators[0]?.operator).toBe('operator-777');
  });

  it.each(['$(reboot)', "a'b", '-x', 'a b', 'a\nreboot', ''])(
    'shows no command line for the unsafe caller-chosen id %j',
    (id) => {
      const tally = new FailureTally();
      tally.failed({ ...COMMAND, id }, 'UNKNOWN_OPERATOR', 'answered');
      const last = { id, type: 'made-up', queue: '', failedAt: undefined, failure: undefined };
      const kept = {
        queue: 'q',
        messages: 1,
        reasons: [{ reason: id, queue: '', count: 1, since: undefined, last }],
      };
      const { causes } = viewOf([], tally, 'acme', { queues: [], deadLetters: kept, parked: kept });
      const [, letters, replies, failure] = causes;
      expect(causes.flatMap(({ commands }) => commands.map(({ line }) => line))).toEqual(
        Array(3).fill(undefined),
      );
      expect(letters).toMatchObject({
        line: 'poker-bridge dead-letters list',
        commands: [{ type: undefined }],
      });
      expect(replies).toMatchObject({ line: 'poker-bridge replies list' });
      expect(failure).toMatchObject({ what: 'game.open: UNKNOWN_OPERATOR', line: undefined });
    },
  );

  it('omits the name of an operator that is not configured, because a caller chose it', () => {
    const tally = new FailureTally();
    tally.failed({ ...COMMAND, operator: 'CANARY' }, 'UNKNOWN_OPERATOR', 'answered');
    const view = viewOf(['acme'], tally);
    expect(view.causes).toMatchObject([{ key: 'circuits' }, { count: 1, operators: [] }]);
    expect(JSON.stringify(view)).not.toContain('CANARY');
  });

  it('lists at most ten causes: reasons first, then internal faults, kept messages and refused commands', () => {
    const tally = new FailureTally();
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    for (const code of codes) tally.failed(COMMAND, code, 'answered');
    const last = {
      id: 'r-1',
      type: 'session.created',
      queue: 'crm',
      failedAt: undefined,
      failure: undefined,
    };
    const reasons = ['crm', 'shop'].map((queue, n) => ({
      reason: 'REPLY_QUEUE_FULL',
      queue,
      count: n + 1,
      since: `2026-03-01T10:0${n}:00.000Z`,
      last,
    }));
    const parked = { queue: 'undelivered', messages: 3, reasons };
    const overview = {
      queues: [],
      deadLetters: { queue: 'dead', messages: 900, reasons: undefined },
      parked,
    };
    const { verdict, causes, causesLeftOut } = viewOf(['acme'], tally, 'acme', overview);
    expect(verdict.worst?.what).toBe(causes[0]?.what);
    expect(causes.map(({ level, what, sinceMs }) => [level, what, sinceMs]).slice(0, 3)).toEqual([
      ['attention', expect.stringMatching(/^The circuit is open for game\.open/), undefined],
      ['attention', '1 reply waits for crm', Date.parse('2026-03-01T10:00:00Z')],
      ['attention', '2 replies wait for shop', Date.parse('2026-03-01T10:01:00Z')],
    ]);
    const internal = codes.filter((code) =>
      ['internal', 'misconfigured'].includes(ERROR_CODES[code].category),
    );
    const noted = causes.slice(3).map(({ what }) => what);
    expect(noted.slice(0, internal.length).toSorted()).toEqual(
      internal.map((code) => `game.open: ${code}`).toSorted(),
    );
    expect(noted[internal.length]).toBe('900 dead letters');
    expect([causes.length, causesLeftOut]).toEqual([10, codes.length + 4 - 10]);
  });

  it('marks circuits on the plots of their command, and one broker outage for both connections', () => {
    const tally = new FailureTally(() => 7);
    for (const isTrouble of [true, false]) {
      const circuit = { operation: 'game.open', operator: 'acme poker' };
      for (const each of ['consuming', 'publishing', circuit] as const) tally.troubleChanged(each, isTrouble);
    }
    expect(viewOf(['acme'], tally).commands.changes).toMatchObject([
      { what: 'RabbitMQ unavailable', isTrouble: true, atMs: 7 },
      { what: 'circuit opened (acme poker)', operation: 'game.open' },
      { what: 'RabbitMQ available', isTrouble: false },
      { what: 'circuit closed (acme poker)', operation: 'game.open' },
    ]);
  });
});
