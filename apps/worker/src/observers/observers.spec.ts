import { describe, expect, it } from '@jest/globals';

import type { MessagingObserver } from '#messaging';
import { createLogger, Metrics } from '#telemetry';

import { COMMAND } from '../console/command-facts.fixture.ts';
import { FailureTally } from '../console/failure-tally.ts';
import { busObserver, platformObserver } from './observers.ts';

const POSTPONEMENT = { delayMs: 5_000, queue: 'poker.reports.retry.5000', until: '2026-03-01T09:00:05.000Z' };

const FAILURE = { status: 503, reason: 'The circuit is open.', pointers: ['/data'] };

async function shown(act: (...given: Parameters<typeof platformObserver>) => void) {
  const lines: string[] = [];
  const metrics = new Metrics();
  act(createLogger('trace', { write: (line) => lines.push(line) }), metrics, new FailureTally());
  const series = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('poker_'));
  return {
    series: series.filter((line) => !line.endsWith(' 0')),
    lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

const shownAfter = (act: (observer: MessagingObserver) => void) =>
  shown((...given) => act(busObserver(...given, [])));

describe('busObserver', () => {
  it.each([
    ['INTERNAL_ERROR', 'error', { name: 'SyntaxError' }],
    ['POISON_COMMAND', 'error', { name: 'SyntaxError' }],
    ['NICKNAME_TAKEN', 'info', undefined],
  ] as const)('logs the cause of %s at the level %s, without what it quotes', async (code, level, cause) => {
    const thrown = new SyntaxError('QUOTED');
    const { series, lines } = await shownAfter((observer) => observer.commandAnswered(COMMAND, code, thrown));
    expect(series).toContain(`poker_commands_total{type="game.open",outcome="${code}"} 1`);
    expect(series).toContain('poker_command_duration_seconds_sum{type="game.open"} 0.25');
    const category = code === 'NICKNAME_TAKEN' ? 'rejected' : 'internal';
    expect(series).toContain(`poker_commands_failed_total{type="game.open",category="${category}"} 1`);
    expect(lines).toMatchObject([{ level, outcome: code, ...(cause && { cause }) }]);
    expect(JSON.stringify(lines)).not.toContain('QUOTED');
  });

  it('counts in-flight commands and redeliveries by lane, and measures the wait of a command if it is known', async () => {
    const { series } = await shownAfter((observer) => {
      observer.commandTaken('interactive', false, 3000);
      observer.commandTaken('interactive', true, undefined);
      observer.commandReleased('interactive');
      observer.commandTaken('reports', false, undefined);
      observer.commandReleased('reports');
    });
    expect(series).toContain('poker_commands_in_flight{lane="interactive"} 1');
    expect(series.join()).not.toContain('poker_commands_in_flight{lane="reports"}');
    expect(series).toContain('poker_redeliveries_total{lane="interactive"} 1');
    expect(series).toContain('poker_command_wait_seconds_sum{lane="interactive"} 3');
    expect(series).toContain('poker_command_wait_seconds_count{lane="interactive"} 1');
  });

  it.each([
    [
      'postponed',
      'poker_commands_postponed_total{type="game.open",code="CIRCUIT_OPEN"} 1',
      (observer: MessagingObserver) =>
        observer.commandPostponed(COMMAND, 'CIRCUIT_OPEN', POSTPONEMENT, FAILURE),
    ],
    [
      'moved',
      'poker_commands_moved_total{queue="poker.quarantine"} 1',
      (observer: MessagingObserver) => observer.commandMoved(COMMAND, 'poker.quarantine'),
    ],
    [
      'returned',
      'poker_commands_returned_total{lane="interactive"} 1',
      (observer: MessagingObserver) => observer.commandReturned(COMMAND, new SyntaxError('QUOTED')),
    ],
    [
      'failed by an unexpected error',
      'poker_pipeline_errors_total 1',
      (observer: MessagingObserver) => observer.pipelineFailed(COMMAND, new SyntaxError('QUOTED')),
    ],
  ])('logs a command that was %s, and does not count it as answered', async (how, counted, act) => {
    const { series, lines } = await shownAfter(act);
    expect(series).toEqual([counted]);
    expect(lines).toMatchObject([{ id: 'm-1', ...(how === 'postponed' && { ...POSTPONEMENT, ...FAILURE }) }]);
    expect(JSON.stringify(lines)).not.toContain('QUOTED');
  });

  it.each([
    [
      'one is blocked',
      { kind: 'open' },
      { kind: 'blocked', reason: 'memory' },
      ['poker_broker_connected 1', 'poker_broker_blocked 1'],
    ],
    ['one is away', { kind: 'open' }, { kind: 'connecting', reason: 'refused' }, []],
    ['one is closed', { kind: 'closed' }, { kind: 'open' }, []],
  ] as const)('shows whether the broker is connected: %s', async (_, consuming, publishing, expected) => {
    const { series } = await shownAfter((observer) => {
      observer.connectionChanged('consuming', { kind: 'open' });
      observer.connectionChanged('publishing', { kind: 'open' });
      observer.connectionChanged('consuming', consuming);
      observer.connectionChanged('publishing', publishing);
    });
    expect(series).toEqual(expected);
  });
});

it('platformObserver counts calls, measures them in seconds, and logs circuit changes with their cause', async () => {
  const { series, lines } = await shown((...given) => {
    const observer = platformObserver(...given);
    observer.attemptEnded('session.create', '2xx', 20);
    observer.attemptRefused('game.open', 'queue-full');
    observer.admissionWaited('game.open', 250);
    observer.circuitChanged('casino', 'game.open', 'open', 'HTTP 503');
  });
  expect(series).toEqual(
    expect.arrayContaining([
      'poker_platform_request_duration_seconds_sum{operation="session.create",result="2xx"} 0.02',
      'poker_platform_refusals_total{operation="game.open",reason="queue-full"} 1',
      'poker_admission_wait_seconds_sum{operation="game.open"} 0.25',
      'poker_circuit_changes_total{operator="casino",operation="game.open",state="open"} 1',
    ]),
  );
  const why = { cause: 'HTTP 503', reason: 'the platform answers HTTP 503' };
  const circuit = { operator: 'casino', operation: 'game.open', state: 'open', ...why };
  expect(lines).toMatchObject([{ level: 'warn', ...circuit, msg: 'circuit changed' }]);
});
