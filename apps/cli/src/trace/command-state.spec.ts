import { describe, expect, it } from '@jest/globals';

import { describeState } from './command-state.ts';
import { readLogLine } from './log-line.ts';

describe('describeState', () => {
  const line = (second: number, members: object) => {
    const time = `2026-03-01T09:00:0${second}Z`;
    return readLogLine(JSON.stringify({ time, operator: 'acme', msg: 'm', ...members }))!;
  };
  const around = [
    line(1, { state: 'open', operation: 'openGame', cause: 'HTTP 503' }),
    line(2, { state: 'open', operator: 'other', cause: 'HTTP 500' }),
    line(2, { event: 'broker.unavailable', reason: 'ECONNREFUSED' }),
    line(4, { state: 'open', operation: 'openGame', cause: 'later' }),
  ];
  const endedWith = (outcome: string) => line(3, { type: 'game.open', id: '7', outcome });
  const FAILED = 'game.open 7 of acme failed at 2026-03-01T09:00:03Z with';

  it.each([
    ['a success', [endedWith('success')], 'game.open 7 of acme succeeded at 2026-03-01T09:00:03Z.\n'],
    [
      'a success after failures under the same id',
      [endedWith('OUTCOME_UNKNOWN'), endedWith('OVERLOADED'), endedWith('success')],
      /^game\.open 7 of acme succeeded at .*\.\n {2}before that: 2 failures under the same id, .* with OVERLOADED\n$/,
    ],
    [
      'the last failure of several commands',
      ['1', '2', '3'].map((id) =>
        line(3, { type: 'game.open', id, outcome: id === '3' ? 'success' : 'NOT_FOUND' }),
      ),
      /^2 of 3 commands failed\. The last: game\.open 2 of acme failed at .* with NOT_FOUND\n$/,
    ],
    [
      'several successes',
      ['1', '2'].map((id) => line(3, { id, outcome: 'success' })),
      'All 2 commands succeeded.\n',
    ],
    ['a command without an outcome', [line(3, {})], /^No outcome is logged/],
    [
      'an answer of the platform',
      [
        line(7, {
          id: '4711',
          outcome: 'NICKNAME_TAKEN',
          status: 422,
          reason: 'taken',
          pointers: ['/nick', '/tag'],
        }),
      ],
      /with NICKNAME_TAKEN\n {2}the platform answered 422, taken, at \/nick \/tag\n$/,
    ],
    [
      'a circuit by what opened that of its operator',
      [endedWith('CIRCUIT_OPEN')],
      `${FAILED} CIRCUIT_OPEN\n  the circuit of openGame opened at 2026-03-01T09:00:01Z: the platform answers HTTP 503\n`,
    ],
    [
      'a platform that did not answer',
      [
        line(0, {
          type: 'game.open',
          id: '7',
          outcome: 'COMMAND_EXPIRED',
          reason: 'timeout',
          unansweredMs: 3_900,
        }),
      ],
      /COMMAND_EXPIRED\n {2}the platform does not answer: timeout after 3\.9 s\n$/,
    ],
    [
      'a command that was late by a broker that was away',
      [endedWith('COMMAND_EXPIRED')],
      `${FAILED} COMMAND_EXPIRED\n  the broker was not available at 2026-03-01T09:00:02Z: ECONNREFUSED\n`,
    ],
  ])('explains %s', (_, about, expected) => {
    expect(describeState(about, around)).toEqual(
      typeof expected === 'string' ? expected : expect.stringMatching(expected),
    );
  });

  it('says that the circuit was open before the log begins', () => {
    expect(describeState([endedWith('CIRCUIT_OPEN')], [])).toMatch(/opened before this log begins/);
  });
});
