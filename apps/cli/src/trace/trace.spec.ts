import { describe, expect, it } from '@jest/globals';

import { describeLogLine } from './describe-log-line.ts';
import { readLogLine } from './log-line.ts';

const LINE =
  '{"level":"info","time":"2026-03-01T09:00:07.120Z","id":"4711","correlationId":"c","type":"game.open","operator":"default",' +
  '"lane":"interactive","attempts":1,"durationMs":34,"outcome":"NICKNAME_TAKEN","status":422,' +
  '"pointers":["/player/nick","/player/tag"],"reason":"taken","msg":"command answered"}';

describe('readLogLine', () => {
  it.each([
    ['alone', LINE],
    ['of docker compose', `worker-1  | ${LINE}`],
    ['of kubectl', `[pod/poker-bridge-7d{x}/worker] ${LINE}\r`],
    ['of a container runtime', `2026-03-01T09:00:07.121Z stdout F ${LINE}`],
  ])('reads a line %s', (_, text) => {
    expect(readLogLine(text)).toMatchObject({ text: LINE, members: { id: '4711', status: 422 } });
  });

  it.each(['', 'starting', '{', '{"a":1}', '{"msg":7}', `${LINE} cut`, 'null', '{}'])(
    'of %j reads none',
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
