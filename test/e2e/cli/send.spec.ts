import { randomUUID } from 'node:crypto';

import { beforeEach, describe, expect, it } from '@jest/globals';

import { folderForAll } from '../../support/suite-service.ts';
import { expectedProperties } from '../commands/expected-properties.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { type CliRun, type CliSurroundings, runCli } from './run-cli.ts';

const SESSION = ['session.create', '--data', '{"userId":"u-1"}'];

describe('poker-bridge send', () => {
  const folder = folderForAll();
  const sandboxed = sandboxedForAll();
  let id: string;
  beforeEach(() => void (id = `id-${randomUUID()}`));

  const send = (args: readonly string[], { variables, ...input }: CliSurroundings = {}): Promise<CliRun> => {
    const { url, prefix } = sandboxed.service;
    const own = { AMQP_URL: url, AMQP_PREFIX: prefix, ...variables };
    return runCli(['send', ...args], { ...input, variables: own });
  };

  it('prints the reply for people, and exits with 0', async () => {
    const { code, stdout, stderr } = await send([...SESSION, '--id', id]);
    expect([code, stderr]).toEqual([0, '']);
    const [command = '', ...reply] = stdout.split('\n');
    expect(command).toBe(`→ session.create {"userId":"u-1"} id ${id}`);
    expect(reply.join('\n')).toMatch(
      /^← session\.created after \d+ ms\n {4}userId: u-1\n {4}sessionId: [0-9a-f-]{36}\n {4}auth: \S+\n {4}redirectUrl: http:\S+\n$/,
    );
  });

  it('prints one object a line for programs, and the same reply for the same id', async () => {
    const first = await send([...SESSION, '--id', id, '--json']);
    const facts = { type: 'session.created', id, correlationId: id, commandType: 'session.create' };
    const expected = expectedProperties(facts) as Record<string, unknown>;
    const { type, messageId, correlationId, headers } = expected;
    const text = expect.any(String);
    const body = { userId: 'u-1', sessionId: text, auth: text, redirectUrl: text };
    expect([first.code, first.lines]).toEqual([0, [{ type, messageId, correlationId, headers, body }]]);
    expect(Object.keys(first.lines[0]!)).toEqual(['type', 'messageId', 'correlationId', 'headers', 'body']);
    const second = await send([...SESSION, '--id', id, '--json']);
    expect(second.lines[0]).toMatchObject({ messageId: `${id}:0`, body: first.lines[0]?.['body'] });
  });

  it('prints the pages of a report in order, amounts digit for digit', async () => {
    await sandboxed.platform.fault({ kind: 'huge-amounts' });
    const period = { dateFrom: '2026-03-01 00:00:00', dateTo: '2026-03-02 00:00:00', perPage: 10 };
    const args = ['report.ad-hoc.fetch', '--data', JSON.stringify(period)];
    const forPrograms = await send([...args, '--json']);
    const forPeople = await send(args);
    await sandboxed.platform.clearFaults();

    const types = forPrograms.lines.map(({ type }) => type).join();
    expect(types).toMatch(/^(report\.page,){2,}report\.completed$/);
    const amounts = [...forPrograms.stdout.matchAll(/"rake":(-?\d+)/g)].map(([, amount = '']) => amount);
    // No amount was rounded to a double.
    expect(amounts.some((amount) => BigInt(Number(amount)) !== BigInt(amount))).toBe(true);
    expect([forPrograms.code, forPeople.code]).toEqual([0, 0]);
    expect(forPeople.stdout).toMatch(/^ {4}page 1 of \d+, 10 of \d+ records, decimals \{/m);
    expect(forPeople.stdout).toMatch(/^ {4}the first: \{"id":"player-/m);
  });

  it('prints every fault of command.failed, and exits with 1', async () => {
    const args = ['session.create', '--data', '{"userId":"u-1","lang":"english","page":1}'];
    const forPeople = await send(args);
    expect(forPeople.code).toBe(1);
    expect(forPeople.stdout).toMatch(
      /VALIDATION_FAILED \(invalid\)[^]*\n {4}\/lang must be an ISO 639-1 code of two letters\n[^]* {4}a retry will not help\n/,
    );
    const { code, lines } = await send([...args, '--json']);
    const failure = { type: 'command.failed', headers: { final: true }, body: { code: 'VALIDATION_FAILED' } };
    expect([code, lines]).toMatchObject([1, [failure]]);
  });

  it('reads the data from a file or standard input, and the address of the broker from a file', async () => {
    const file = folder.write('lobby.json', '{\n  "player": { "id": "from-a-file" }\n}\n');
    const variables = { AMQP_URL: '', AMQP_URL_FILE: folder.write('amqp-url', `${sandboxed.service.url}\n`) };
    const fromFile = await send(['game.open', '--data', `@${file}`, '--json'], { variables });
    const input = '{"player":{"id":"from-the-input"}}';
    const fromInput = await send(['game.open', '--data', '-', '--json'], { input });
    expect([fromFile, fromInput]).toMatchObject([
      { code: 0, lines: [{ body: { playerId: 'from-a-file' } }] },
      { code: 0, lines: [{ body: { playerId: 'from-the-input' } }] },
    ]);
  });

  it.each([
    ['the operator', ['session.create', '--data', '{}', '--operator', 'nobody'], 'UNKNOWN_OPERATOR', ''],
    // The deadline has passed by the time the worker reads it.
    ['the deadline', [...SESSION, '--deadline-ms', '1'], 'COMMAND_EXPIRED', ''],
    [
      'a type that it does not know',
      ['session.craete', '--data', '{}'],
      'UNKNOWN_COMMAND',
      'session.craete is not a command of this version, which has session.create,',
    ],
  ])('sends %s', async (_, args, reason, warning) => {
    const { code, lines, stderr } = await send([...args, '--json']);
    expect([code, lines]).toMatchObject([1, [{ body: { code: reason } }]]);
    expect(stderr).toContain(warning);
  });
});
