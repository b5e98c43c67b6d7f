import { beforeAll, describe, expect, it } from '@jest/globals';

import { healthy } from '../../support/platform-answers.ts';
import { serviceForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { type CliRun, runCli } from './run-cli.ts';

const LOG_SUBJECT_KEY = 's'.repeat(32);
const PLAYER = 'CANARY-of-a-player';

describe('poker-bridge trace', () => {
  const service = serviceForAll({ behaviour: healthy(1), variables: { LOG_SUBJECT_KEY }, workers: 1 });
  let log: string;
  beforeAll(async () => {
    const worker = service.running;
    const send = (id: string, data: object) =>
      service.caller.send('session.create', data, { messageId: id, correlationId: id });
    await send('first', { userId: PLAYER });
    await send('other', { userId: 'somebody else' });
    await send('wrong', { userId: PLAYER, lang: 'german' });
    const answered = () => worker.log.filter(({ msg }) => msg === 'command answered');
    await until('all are logged', () => answered().length === 3);
    // Out of order, like the concatenated logs of several workers.
    const lines = worker.log.toReversed();
    log = lines.map((line, index) => `worker-${(index % 2) + 1}  | ${JSON.stringify(line)}\n`).join('');
    // A platform may send U+2028, which JSON does not escape.
    const { time } = lines[0]!;
    const odd = { time, id: 'odd', outcome: 'NOT_FOUND', reason: 'a\u2028b', msg: 'command answered' };
    log += `${JSON.stringify(odd)}\r\n`;
  });

  const trace = (args: string[], variables: Record<string, string> = { LOG_SUBJECT_KEY }): Promise<CliRun> =>
    runCli(['trace', ...args], { variables, input: log });

  it('follows a player through a log without names, and says why a command failed', async () => {
    expect(log).not.toContain(PLAYER);
    expect(log).not.toContain('no LOG_SUBJECT_KEY');
    const { code, lines } = await trace(['--player', PLAYER, '--json']);
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { id: 'first', outcome: 'success' },
      { id: 'wrong', outcome: 'VALIDATION_FAILED', pointers: ['/lang'], reason: expect.any(String) },
    ]);
    const people = await trace(['--player', PLAYER]);
    expect(people.stdout).toMatch(
      /^1 of 2 commands failed\. The last: session\.create wrong of default failed at .*\n.*\/lang/,
    );
    expect(people.stdout).toMatch(/command answered session\.create wrong of default\n {4}.*pointers \/lang/);
  });

  it('follows a period over all workers, in order of time', async () => {
    const { code, lines } = await trace(['--since', '1h', '--json'], {});
    const times = lines.map((line) => (line as { time: string }).time);
    expect([code, times]).toEqual([0, times.toSorted()]);
    expect(lines).toEqual(expect.arrayContaining([expect.objectContaining({ id: 'other' })]));
    expect((await trace(['--until', '1h'], {})).code).toBe(1);
    const { stdout: wrong } = await trace(['--id', 'wrong'], {});
    expect(wrong).toContain('connected to the broker');
    expect(wrong).toMatch(/\n\nLeft out: \d+ lines about other commands or times/);
    expect((await trace(['--id', 'first'], {})).stdout).not.toContain('connected to the broker');
    const today = await trace(['--since', '00:00', '--until', '23:59:59'], {});
    const date = new Date().toISOString().slice(0, 10);
    expect(today.stdout).toContain(`from ${date}T00:00:00.000Z until ${date}T23:59:59.000Z (UTC)\n`);
    expect((await trace(['--id', 'odd'], {})).stdout).toContain('with NOT_FOUND\n  a\\u2028b');
  });

  it.each([
    [['--player', PLAYER], {}, 78, /^LOG_SUBJECT_KEY: is required/],
    [['--player', PLAYER], { LOG_SUBJECT_KEY: 'short' }, 78, /^LOG_SUBJECT_KEY: must be at least 32/],
    [
      ['--player', PLAYER],
      { LOG_SUBJECT_KEY: 'x'.repeat(32) },
      1,
      /is it the LOG_SUBJECT_KEY of the workers/,
    ],
    [['--player', PLAYER, '--operator', 'casino'], { LOG_SUBJECT_KEY }, 1, /is the player one of casino/],
    [['--id', 'nothing'], {}, 1, /^none of \d+ lines matches\n/],
  ])('exits, with %j and %j, with %i', async (args, variables, expected, message) => {
    const { code, stderr, stdout } = await trace(args, variables);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)]);
  });
});
