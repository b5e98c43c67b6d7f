import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { expectedProperties } from '../commands/expected-properties.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';
import { type CliRun, type CliSurroundings, runCli } from './run-cli.ts';

const PERIOD = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00' };

describe('poker-bridge send', () => {
  let sandboxed: SandboxedService;
  let folder: string;
  let id: string;

  beforeAll(async () => {
    [sandboxed, folder] = await Promise.all([
      startSandboxedService(),
      mkdtemp(join(tmpdir(), 'poker-bridge-cli-')),
    ]);
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await sandboxed?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    id = `id-${randomUUID()}`;
  });

  const send = (args: readonly string[], surroundings: CliSurroundings = {}): Promise<CliRun> => {
    const { url, prefix } = sandboxed.service;
    const variables = { AMQP_URL: url, AMQP_PREFIX: prefix, ...surroundings.variables };
    return runCli(['send', ...args], { ...surroundings, variables });
  };

  it('prints the reply for people, and ends with 0', async () => {
    const { code, stdout, stderr } = await send(['session.create', '--data', '{"userId":"u-1"}', '--id', id]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      `→ session.create {"userId":"u-1"} id ${id}`,
      expect.stringMatching(/^← session\.created after \d+ ms$/),
      '    userId: u-1',
      expect.stringMatching(/^ {4}sessionId: [0-9a-f-]{36}$/),
      expect.stringMatching(/^ {4}auth: \S+$/),
      expect.stringMatching(/^ {4}redirectUrl: http:\S+$/),
      '',
    ]);
  });

  it('prints one object a line for programs: type, ids, headers and body', async () => {
    const { code, lines } = await send([
      'session.create',
      '--data',
      '{"userId":"u-1"}',
      '--id',
      id,
      '--json',
    ]);
    const expected = expectedProperties({
      type: 'session.created',
      id,
      correlationId: id,
      commandType: 'session.create',
    }) as Record<string, unknown>;
    const { type, messageId, correlationId, headers } = expected;
    const body = {
      userId: 'u-1',
      sessionId: expect.any(String),
      auth: expect.any(String),
      redirectUrl: expect.any(String),
    };
    expect([code, lines]).toEqual([0, [{ type, messageId, correlationId, headers, body }]]);
    expect(Object.keys(lines[0]!)).toEqual(['type', 'messageId', 'correlationId', 'headers', 'body']);
  });

  it('gives the pages of a report in order, amounts digit for digit', async () => {
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const data = JSON.stringify({ ...PERIOD, perPage: 10 });
    const forPrograms = await send(['report.ad-hoc.fetch', '--data', data, '--json']);
    const forPeople = await send(['report.ad-hoc.fetch', '--data', data]);
    await sandboxed.platform.clearFaults();

    const types = forPrograms.lines.map(({ type }) => type);
    expect(types).toEqual([...types.slice(0, -1).map(() => 'report.page'), 'report.completed']);
    expect(types.length).toBeGreaterThan(2);
    const amounts = [...forPrograms.stdout.matchAll(/"(?:win|loss|rake)":(-?\d+)/g)].map(
      ([, amount = '']) => amount,
    );
    expect(amounts.length).toBeGreaterThan(20);
    // None was rounded to a double.
    expect(amounts.every((amount) => amount !== '0' && !Number.isSafeInteger(Number(amount)))).toBe(true);
    expect(amounts.some((amount) => BigInt(Number(amount)) !== BigInt(amount))).toBe(true);
    expect([forPrograms.code, forPeople.code]).toEqual([0, 0]);
    expect(forPeople.stdout).toMatch(/^ {4}page 1 of \d+, 10 of \d+ records, decimals \{/m);
    expect(forPeople.stdout).toMatch(/^ {4}the first: \{"id":"player-/m);
  });

  it('ends with 1 if the reply is command.failed, with every fault', async () => {
    const data = '{"userId":"u-1","lang":"english","page":1}';
    const forPeople = await send(['session.create', '--data', data]);
    expect(forPeople.code).toBe(1);
    expect(forPeople.stdout).toContain('VALIDATION_FAILED (invalid)');
    expect(forPeople.stdout).toContain('    /lang must be an ISO 639-1 code of two letters\n');
    expect(forPeople.stdout).toContain('    sending it again will not help\n');

    const forPrograms = await send(['session.create', '--data', data, '--json']);
    expect(forPrograms.code).toBe(1);
    expect(forPrograms.lines).toMatchObject([
      { type: 'command.failed', headers: { final: true }, body: { code: 'VALIDATION_FAILED' } },
    ]);
  });

  it('reads the data from a file, and from standard input', async () => {
    const file = join(folder, 'lobby.json');
    await writeFile(file, '{\n  "player": { "id": "from-a-file" }\n}\n');
    const fromFile = await send(['game.open', '--data', `@${file}`, '--json']);
    expect([fromFile.code, fromFile.lines[0]?.['body']]).toMatchObject([0, { playerId: 'from-a-file' }]);

    const input = '{"player":{"id":"from-the-input"}}';
    const fromInput = await send(['game.open', '--data', '-', '--json'], { input });
    expect([fromInput.code, fromInput.lines[0]?.['body']]).toMatchObject([0, { playerId: 'from-the-input' }]);
  });

  it('sends the same command with the same id: the reply is replayed', async () => {
    const args = ['session.create', '--data', '{"userId":"u-twice"}', '--id', id, '--json'];
    const [first, second] = [await send(args), await send(args)];
    expect(second.lines[0]?.['body']).toEqual(first.lines[0]?.['body']);
    expect(second.lines[0]?.['messageId']).toBe(`${id}:0`);
  });

  it('names the operator', async () => {
    const { code, lines } = await send(['session.create', '--data', '{}', '--operator', 'nobody', '--json']);
    expect([code, lines]).toMatchObject([1, [{ body: { code: 'UNKNOWN_OPERATOR' } }]]);
  });

  it('sends a type that it does not know, and says so', async () => {
    const { code, stdout, stderr } = await send(['session.craete', '--data', '{}']);
    expect([code, stdout]).toEqual([1, expect.stringContaining('UNKNOWN_COMMAND')]);
    expect(stderr).toContain('session.craete is no command of this version: session.create,');
  });

  it('sets the deadline', async () => {
    // It has passed when the worker reads it, however fast it is.
    const args = ['session.create', '--data', '{"userId":"u-late"}', '--deadline-ms', '1', '--json'];
    const { code, lines } = await send(args);
    expect([code, lines]).toMatchObject([1, [{ body: { code: 'COMMAND_EXPIRED' } }]]);
  });

  it('reads the address of the broker from a file', async () => {
    const file = join(folder, 'amqp-url');
    await writeFile(file, `${sandboxed.service.url}\n`);
    const variables = { AMQP_URL: '', AMQP_URL_FILE: file };
    const { code } = await send(['session.create', '--data', '{"userId":"u-1"}'], { variables });
    expect(code).toBe(0);
  });
});
