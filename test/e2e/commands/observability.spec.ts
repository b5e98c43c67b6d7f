import { randomUUID } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { until } from '../../support/until.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const DAY = { dateFrom: '2026-01-01 00:00:00', dateTo: '2026-01-02 00:00:00' };
const SECRET_KEY = 'canary-secret-key';

/** A player's data, in every place where a command can carry them; they must be found nowhere. */
const player = (name: string) => ({
  id: `canary-id-${name}`,
  nick: `canary-nick-${name}`,
  name: 'canary-name',
  email: 'canary@example.com',
  phoneNumber: 'canary-phone',
  country: 'canary-country',
});
const session = {
  id: 'canary-session',
  userIp: 'canary-ip',
  launchOptions: { restoreSessionUrl: 'https://canary.example/?canary=1' },
};

/** The commands that are sent, in this order, each with its outcome. */
const COMMANDS: readonly (readonly [type: string, body: unknown, outcome: string, options?: object])[] = [
  ['session.create', { userId: 'canary-user', nick: 'canary-nick-1' }, 'success', { messageId: 'created' }],
  ['session.create', { userId: 'canary-user', nick: 'canary-nick-1' }, 'success', { messageId: 'created' }],
  ['game.open', { player: player('2'), session }, 'success', { timestamp: Math.floor(Date.now() / 1000) }],
  ['game.open', { player: { ...player('3'), nick: 'canary-nick-1' } }, 'NICKNAME_TAKEN'],
  ['session.create', { userId: 'canary-user', authType: 'canary-auth' }, 'VALIDATION_FAILED'],
  ['session.create', { userId: 'canary-user', 'canary-member': 'canary' }, 'VALIDATION_FAILED'],
  ['session.create', Buffer.from('{"userId": "canary-broken'), 'MALFORMED_MESSAGE'],
  ['session.create', { userId: 'canary'.repeat(20_000) }, 'MESSAGE_TOO_LARGE'],
  ['canary-command', { userId: 'canary-user' }, 'UNKNOWN_COMMAND'],
  ['report.ad-hoc.fetch', { ...DAY, userId: 'player-00000001' }, 'success'],
  ['report.rake.fetch', { ...DAY, sort: 'canary-sort' }, 'INCORRECT_DATA'],
];

describe('logs, metrics and console', () => {
  const sandboxed = sandboxedForAll({
    sandbox: { SANDBOX_REPORT_RECORDS: '3', SANDBOX_SECRET_KEY: SECRET_KEY },
    worker: { PLATFORM_SECRET_KEY: SECRET_KEY, LOG_LEVEL: 'trace' },
  });
  let metrics: string;
  const secrets: string[] = [];
  const ids: string[] = [];

  beforeAll(async () => {
    const { caller, worker, platform } = sandboxed;
    await platform.fault({ kind: 'status', status: 503, operation: 'session', count: 1 });
    for (const [type, body, , options] of COMMANDS) {
      const replies = await caller.send(type, body, { messageId: randomUUID(), ...options });
      ids.push(String(replies[0]?.headers['command-id']));
      const { auth, url, redirectUrl } = replies[0]?.body ?? {};
      secrets.push(...[auth, url, redirectUrl].filter((value) => typeof value === 'string'));
    }
    caller.publish(
      'session.create',
      { userId: 'canary-user' },
      { replyTo: 'canary-queue', messageId: 'gone' },
    );
    const areCounted = async () => (await worker.metric('poker_commands_total')) === COMMANDS.length + 1;
    await until('every command is counted', areCounted);
    await until('every outcome is logged', () => outcomes().length === COMMANDS.length + 1);
    metrics = (await worker.get('/metrics')).body;
  });

  const outcomes = () => sandboxed.worker.log.filter((line) => 'outcome' in line);
  const series = (name: string) => metrics.split('\n').filter((line) => /^[^{ ]+/.exec(line)?.[0] === name);

  it('times the wait of a command with a timestamp', () => {
    expect(series('poker_command_wait_seconds_count')).toEqual([
      'poker_command_wait_seconds_count{lane="interactive"} 1',
    ]);
  });

  it('counts each final reply by type and outcome', () => {
    const happened = series('poker_commands_total').filter((line) => !line.endsWith(' 0'));
    expect(happened.toSorted()).toEqual([
      'poker_commands_total{type="game.open",outcome="NICKNAME_TAKEN"} 1',
      'poker_commands_total{type="game.open",outcome="success"} 1',
      'poker_commands_total{type="report.ad-hoc.fetch",outcome="success"} 1',
      'poker_commands_total{type="report.rake.fetch",outcome="INCORRECT_DATA"} 1',
      'poker_commands_total{type="session.create",outcome="MALFORMED_MESSAGE"} 1',
      'poker_commands_total{type="session.create",outcome="MESSAGE_TOO_LARGE"} 1',
      'poker_commands_total{type="session.create",outcome="VALIDATION_FAILED"} 2',
      'poker_commands_total{type="session.create",outcome="success"} 3',
      'poker_commands_total{type="unknown",outcome="UNKNOWN_COMMAND"} 1',
    ]);
  });

  it('counts calls, retries, replays, dead letters and undelivered replies', () => {
    expect(series('poker_platform_requests_total').toSorted()).toEqual([
      'poker_platform_requests_total{operation="game.open",result="2xx"} 1',
      'poker_platform_requests_total{operation="game.open",result="4xx"} 1',
      'poker_platform_requests_total{operation="report.ad-hoc.fetch",result="2xx"} 1',
      'poker_platform_requests_total{operation="report.rake.fetch",result="4xx"} 1',
      'poker_platform_requests_total{operation="session.create",result="2xx"} 2',
      'poker_platform_requests_total{operation="session.create",result="5xx"} 1',
    ]);
    expect(series('poker_platform_retries_total')).toEqual(['poker_platform_retries_total 1']);
    expect(series('poker_replays_total')).toEqual(['poker_replays_total 1']);
    expect(series('poker_dead_letters_total')).toEqual(['poker_dead_letters_total 5']);
    expect(series('poker_replies_undelivered_total')).toEqual(['poker_replies_undelivered_total 1']);
    expect(series('poker_broker_connected')).toEqual(['poker_broker_connected 1']);
    expect(series('poker_commands_in_flight').toSorted()).toEqual([
      'poker_commands_in_flight{lane="interactive"} 0',
      'poker_commands_in_flight{lane="reports"} 0',
    ]);
  });

  it('shows lanes, calls and circuits, and each counter from 0 on, so that its first event is an increase', () => {
    const game = 'operator="default",operation="game.open"';
    const expected = [
      'poker_ready 1',
      'poker_lane_state{lane="reports",state="consuming"} 1',
      'poker_lane_state{lane="reports",state="paused"} 0',
      'poker_lane_prefetch{lane="reports"} 8',
      'poker_oldest_command_age_seconds{lane="reports"} 0',
      'poker_admission_in_flight_limit 256',
      'poker_admission_waiting_limit 2048',
      `poker_admission_in_flight{${game}} 0`,
      `poker_compartment_in_flight{${game}} 0`,
      `poker_retry_budget{${game}} 100`,
      `poker_circuit_state{${game}} 0`,
      `poker_circuit_changes_total{${game},state="open"} 0`,
      `poker_platform_signature_doubts_total{${game}} 0`,
      'poker_commands_total{type="game.open",outcome="OVERLOADED"} 0',
      'poker_replies_forwarded_total 0',
      'poker_announcements_dropped_total 0',
    ];
    expect(metrics.split('\n')).toEqual(expect.arrayContaining(expected));
    // This worker has no Redis.
    expect(metrics).not.toMatch(/^poker_redis_connected /m);
  });

  it('is readable by Prometheus', async () => {
    const response = await fetch(`${await sandboxed.worker.url()}/metrics`);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
  });

  it.each([
    ['/health/live', ['process']],
    ['/health/ready', ['bus']],
    ['/health', ['bus', 'circuits', 'compartments', 'process']],
  ])('%s is healthy, in the form of terminus', async (path, indicators) => {
    const { status, body } = await sandboxed.worker.get(path);
    const up = expect.objectContaining({ status: 'up' });
    const info = Object.fromEntries(indicators.map((name) => [name, up]));
    expect([status, JSON.parse(body)]).toEqual([200, { status: 'ok', info, error: {}, details: info }]);
  });

  it('has one line of the log for each outcome, with the ids', () => {
    expect(outcomes().map(({ id, outcome }) => [id, outcome])).toEqual([
      ...COMMANDS.map(([, , outcome], index) => [ids[index], outcome]),
      ['gone', 'success'],
    ]);
    for (const line of outcomes()) {
      expect(line).toMatchObject({
        level: 'info',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        correlationId: expect.any(String),
        operator: 'default',
        attempts: expect.any(Number),
        durationMs: expect.any(Number),
      });
    }
  });

  it("finds neither a player's data nor a secret in log, metrics and health, at any level", async () => {
    const health = (await sandboxed.worker.get('/health')).body;
    const output = [sandboxed.worker.stdout, sandboxed.worker.stderr, metrics, health].join('\n');
    expect(sandboxed.worker.log.some(({ level }) => level === 'trace' || level === 'debug')).toBe(true);
    expect(output.match(/.{0,80}canary.{0,80}/g)).toBeNull();
    expect(secrets.length).toBeGreaterThan(4);
    expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
    expect(output).not.toMatch(/\b[0-9a-f]{64}\b/);
  });
});
