import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '../deadline.ts';
import { Admission, type Admittance, type Priority } from './admission.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

const in1s = () => Deadline.after(1000);

/** Enters calls under a name; the log holds what each got, in order. */
function entrance(admission: Admission) {
  const log: string[] = [];
  const enter = async (name: string, deadline = in1s(), priority: Priority = 'interactive') => {
    const admittance: Admittance = await admission.enter(priority, deadline);
    log.push(`${name} ${admittance}`);
  };
  return { log, enter };
}

describe('Admission', () => {
  it('never admits more than there are connections', async () => {
    const admission = new Admission({ connections: 3, queue: 100 });
    for (let i = 0; i < 50; i += 1) void admission.enter('interactive', in1s());
    expect([admission.inFlight, admission.waiting]).toEqual([3, 47]);
    for (let left = 49; left >= 0; left -= 1) {
      admission.leave('interactive');
      expect(admission.inFlight).toBe(Math.min(left, 3));
    }
  });

  it('rejects a call that finds the queue full', () => {
    const admission = new Admission({ connections: 1, queue: 1 });
    expect(admission.enter('interactive', in1s())).toBe('admitted');
    void admission.enter('interactive', in1s());
    expect(admission.enter('interactive', in1s())).toBe('overloaded');
    expect(new Admission({ connections: 1, queue: 0 }).enter('interactive', in1s())).toBe('admitted');
  });

  it('admits by deadline, interactive calls before background ones', async () => {
    const admission = new Admission({ connections: 1, queue: 10 });
    const { log, enter } = entrance(admission);
    await enter('first');
    void enter('report', Deadline.after(100), 'background');
    void enter('late', Deadline.after(900));
    void enter('early', Deadline.after(500));
    for (let i = 0; i < 3; i += 1) {
      admission.leave('interactive');
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(log).toEqual(['first admitted', 'early admitted', 'late admitted', 'report admitted']);
  });

  it('ends a waiting call at its deadline, and clears its timer', async () => {
    const admission = new Admission({ connections: 1, queue: 10 });
    const { log, enter } = entrance(admission);
    await enter('first');
    void enter('second', Deadline.after(500));
    void enter('third', Deadline.after(700));
    await jest.advanceTimersByTimeAsync(500);
    expect(log).toEqual(['first admitted', 'second expired']);
    admission.leave('interactive');
    await jest.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('third admitted');
    expect([admission.inFlight, admission.waiting, jest.getTimerCount()]).toEqual([1, 0, 0]);
  });

  it('admits no call whose deadline has passed', () => {
    const admission = new Admission({ connections: 1, queue: 10 });
    expect(admission.enter('interactive', new Deadline(0))).toBe('expired');
    expect(admission.inFlight).toBe(0);
  });

  it('keeps half of the connections from background calls', async () => {
    const admission = new Admission({ connections: 4, queue: 10 });
    const { log, enter } = entrance(admission);
    for (const name of ['a', 'b', 'c']) void enter(name, in1s(), 'background');
    await jest.advanceTimersByTimeAsync(0);
    expect([admission.inFlight, admission.waiting]).toEqual([2, 1]);
    await enter('session');
    expect(log).toEqual(['a admitted', 'b admitted', 'session admitted']);
    admission.leave('background');
    await jest.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('c admitted');
    expect(new Admission({ connections: 1, queue: 0 }).enter('background', in1s())).toBe('admitted');
  });

  it('gives the place of the background call with the latest deadline to an interactive one', async () => {
    const admission = new Admission({ connections: 1, queue: 2 });
    const { log, enter } = entrance(admission);
    await enter('first');
    void enter('soon', Deadline.after(100), 'background');
    void enter('later', Deadline.after(900), 'background');
    void enter('session');
    await jest.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['first admitted', 'later overloaded']);
    expect(await admission.enter('background', in1s())).toBe('overloaded');
  });

  it('rejects every call once closed, and leaves no timer', async () => {
    const admission = new Admission({ connections: 1, queue: 10 });
    const { log, enter } = entrance(admission);
    await enter('first');
    void enter('second');
    void enter('report', in1s(), 'background');
    admission.close();
    await enter('third');
    expect(log).toEqual(['first admitted', 'second closed', 'report closed', 'third closed']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
