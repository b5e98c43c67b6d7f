import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '../deadline.ts';
import { Admission, type Admittance, type Compartment } from './admission.ts';

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

const in1s = () => new Deadline(Date.now() + 1000);

/** Enters calls under a name; the log holds what each got, in order. */
function entrance(admission: Admission) {
  const log: string[] = [];
  const sessions = admission.add('interactive');
  const reports = admission.add('background');
  const enter = async (name: string, deadline = in1s(), compartment: Compartment = sessions) => {
    const admittance: Admittance = await admission.enter(compartment, deadline);
    log.push(`${name} ${admittance}`);
  };
  return { log, enter, sessions, reports };
}

describe('Admission', () => {
  it('admits by deadline, interactive calls before background ones', async () => {
    const admission = new Admission({ connections: 1, queue: 10 });
    const { log, enter, sessions, reports } = entrance(admission);
    await enter('first');
    void enter('report', new Deadline(Date.now() + 100), reports);
    void enter('late', new Deadline(Date.now() + 900));
    void enter('early', new Deadline(Date.now() + 500));
    void enter('as late', new Deadline(Date.now() + 900));
    for (let i = 0; i < 4; i += 1) {
      admission.leave(sessions);
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(log.join()).toBe('first admitted,early admitted,late admitted,as late admitted,report admitted');
  });

  it('keeps half of the connections from background calls', async () => {
    const admission = new Admission({ connections: 4, queue: 10 });
    const { log, enter, reports } = entrance(admission);
    const others = admission.add('background');
    for (const [name, kind] of Object.entries({ a: reports, b: others, c: reports }))
      void enter(name, in1s(), kind);
    await jest.advanceTimersByTimeAsync(0);
    expect([log.length, reports.waiting.length]).toEqual([2, 1]);
    await enter('session');
    expect(log).toEqual(['a admitted', 'b admitted', 'session admitted']);
    admission.leave(others);
    await jest.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('c admitted');
    const small = new Admission({ connections: 1, queue: 0 });
    expect(small.enter(small.add('background'), in1s())).toBe('admitted');
  });

  it('gives the place of the background call with the latest deadline to an interactive one', async () => {
    const admission = new Admission({ connections: 1, queue: 2 });
    const { log, enter, reports } = entrance(admission);
    await enter('first');
    void enter('soon', new Deadline(Date.now() + 100), reports);
    void enter('later', new Deadline(Date.now() + 900), reports);
    void enter('session');
    await jest.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['first admitted', 'later overloaded']);
    expect(await admission.enter(reports, in1s())).toBe('overloaded');
  });
});
