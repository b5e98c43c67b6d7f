import { describe, expect, it } from '@jest/globals';

import { describeCause, describeLogLine, readLogLine } from './log-line.ts';

const LINE =
  '{"level":"info","time":"2026-03-01T09:00:07.120Z","id":"4711","correlationId":"c","type":"game.open","operator":"default",' +
  '"lane":"interactive","attempts":1,"durationMs":34,"outcome":"NICKNAME_TAKEN","status":422,' +
  '"pointers":["/player/nick","/player/tag"],"reason":"taken","msg":"command answered"}';

describe('readLogLine', () => {
  it.each([
    ['alone', LINE, ''],
    ['of docker compose', `\u001b[36mworker-1  |\u001b[0m ${LINE}`, 'worker-1'],
    ['of kubectl', `[pod/poker-bridge-7d{x}/worker] ${LINE}\r`, 'pod/poker-bridge-7d{x}/worker'],
    ['of a container runtime', `2026-03-01T09:00:07.121Z stdout F ${LINE}`, ''],
  ])('reads a line %s, and which worker wrote it', (_, text, worker) => {
    const timeMs = Date.parse('2026-03-01T09:00:07.120Z');
    expect(readLogLine(text)).toMatchObject({
      text: LINE,
      members: { id: '4711', status: 422 },
      timeMs,
      worker,
    });
  });

  it.each(['', 'starting', '{', '{"a":1}', '{"msg":7}', `${LINE} cut`, 'null', '{}'])(
    'ignores %j',
    (text) => {
      expect(readLogLine(text)).toBeUndefined();
    },
  );
});

describe('describeLogLine', () => {
  it('tells what happened to which command, and why', () => {
    expect(describeLogLine(readLogLine(LINE)!)).toBe(
      [
        '2026-03-01T09:00:07.120Z command answered game.open 4711 of default',
        '    attempts 1, durationMs 34, outcome NICKNAME_TAKEN, status 422, pointers /player/nick /player/tag, reason taken',
        '',
      ].join('\n'),
    );
  });

  it('prints nothing that could steer a terminal', () => {
    const line = readLogLine('{"time":"t","msg":"a\\u001b[2J","id":"\\u001b[2J","\\u001b":{"b":"\\u001b"}}')!;
    expect(describeLogLine(line)).not.toContain('\u001b');
  });
});

describe('describeCause', () => {
  const line = (members: object) => readLogLine(JSON.stringify({ operator: 'acme', ...members, msg: 'm' }))!;
  const opened = line({
    time: '2026-03-01T09:00:01Z',
    state: 'open',
    operation: 'openGame',
    cause: 'HTTP 503',
  });
  const elsewhere = line({
    time: '2026-03-01T09:00:02Z',
    state: 'open',
    operator: 'other',
    cause: 'HTTP 500',
  });
  const failed = line({ time: '2026-03-01T09:00:03Z', type: 'game.open', id: '7', outcome: 'CIRCUIT_OPEN' });
  const succeeded = line({ time: '2026-03-01T09:00:04Z', type: 'game.open', id: '8', outcome: 'success' });

  it('names what opened the circuit of the operator', () => {
    expect(describeCause([failed, succeeded], [opened, elsewhere, failed, succeeded])).toBe(
      [
        '1 of 2 failed. The first: game.open 7 of acme failed at 2026-03-01T09:00:03Z with CIRCUIT_OPEN',
        '  the circuit of openGame opened at 2026-03-01T09:00:01Z: HTTP 503',
        '',
      ].join('\n'),
    );
  });

  it.each([
    ['a success', [succeeded], 'All 1 succeeded.\n'],
    ['a command without an outcome', [opened], /^No outcome is logged/],
    [
      'an answer of the platform',
      [readLogLine(LINE)!],
      /with NICKNAME_TAKEN\n {2}the platform answered 422, taken, at /,
    ],
    ['a circuit that was open before', [failed], /opened before this log begins/],
  ])('explains %s', (_, about, expected) => {
    expect(describeCause(about, about)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });
});
