import { describe, expect, it } from '@jest/globals';

import { describeLogLine, readLogLine } from './log-line.ts';

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
  ])('parses a line %s, and the worker that wrote it', (_, text, worker) => {
    const timeMs = Date.parse('2026-03-01T09:00:07.120Z');
    expect(readLogLine(text)).toMatchObject({ text: LINE, members: { status: 422 }, timeMs, worker });
  });

  it.each(['', 'starting', '{', '{"a":1}', '{"msg":7}', `${LINE} cut`, 'null'])('ignores %j', (text) => {
    expect(readLogLine(text)).toBeUndefined();
  });

  it('escapes control characters', () => {
    const line = readLogLine('{"time":"t","msg":"a\\u001b[2J","id":"\\u001b[2J","\\u001b":{"b":"\\u001b"}}')!;
    expect(describeLogLine(line)).not.toContain('\u001b');
  });
});
