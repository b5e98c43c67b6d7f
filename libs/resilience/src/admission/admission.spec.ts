import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

import { Deadline } from '../deadline.ts';
import { Admission, type AdmissionLimits } from './admission.ts';
import type { Compartment } from './compartment.ts';

beforeEach(() => void jest.useFakeTimers({ now: 0 }));
afterEach(() => void jest.useRealTimers());

const CALLER = 'caller';
const in1s = () => new Deadline(Date.now() + 1000);
const admissionOf = (limits: AdmissionLimits) => new Admission(limits, Date.now, () => 0.5);

/** Enters named calls; the log contains the result of each, in order. */
function entrance(admission: Admission) {
  const log: string[] = [];
  const sessions = admission.add('interactive');
  const reports = admission.add('background');
  const enter = async (name: string, deadline = in1s(), compartment: Compartment = sessions) => {
    log.push(`${name} ${await admission.enter(compartment, deadline, CALLER)}`);
  };
  return { log, enter, sessions, reports };
}

describe('Admission', () => {
  it('admits by deadline, interactive calls before background ones', async () => {
    const admission = admissionOf({ connections: 1, queue: 10 });
    const { log, enter, sessions, reports } = entrance(admission);
    await enter('first');
    void enter('report', new Deadline(Date.now() + 100), reports);
    void enter('late', new Deadline(Date.now() + 900));
    void enter('early', new Deadline(Date.now() + 500));
    void enter('as late', new Deadline(Date.now() + 900));
    for (let i = 0; i < 4; i += 1) {
      admission.leave(sessions, CALLER);
      await jest.advanceTimersByTimeAsync(0);
    }
    expect(log.join()).toBe('first admitted,early admitted,late admitted,as late admitted,report admitted');
  });

  it('limits background calls to half of the connections', async () => {
    const admission = admissionOf({ connections: 4, queue: 10 });
    const { log, enter, reports } = entrance(admission);
    const others = admission.add('background');
    for (const [name, kind] of Object.entries({ a: reports, b: others, c: reports }))
      void enter(name, in1s(), kind);
    await jest.advanceTimersByTimeAsync(0);
    expect([log.length, reports.line.length]).toEqual([2, 1]);
    await enter('session');
    expect(log).toEqual(['a admitted', 'b admitted', 'session admitted']);
    admission.leave(others, CALLER);
    await jest.advanceTimersByTimeAsync(0);
    expect(log.at(-1)).toBe('c admitted');
    const small = admissionOf({ connections: 1, queue: 0 });
    expect(small.enter(small.add('background'), in1s(), CALLER)).toBe('admitted');
  });

  it('gives the place of the background call with the latest deadline to an interactive one', async () => {
    const admission = admissionOf({ connections: 1, queue: 2 });
    const { log, enter, reports } = entrance(admission);
    await enter('first');
    void enter('soon', new Deadline(Date.now() + 100), reports);
    void enter('later', new Deadline(Date.now() + 900), reports);
    void enter('session');
    await jest.advanceTimersByTimeAsync(0);
    expect(log).toEqual(['first admitted', 'later queue-full']);
    expect(await admission.enter(reports, in1s(), CALLER)).toBe('queue-full');
  });

  it.each([
    { answered: false, most: 12 },
    { answered: true, most: 15 },
  ])('lets one operation use $most of 16 connections (calls were answered: $answered)', (row) => {
    const admission = admissionOf({ connections: 16, queue: 100 });
    const games = admission.add('interactive');
    const enter = () => admission.enter(games, in1s(), CALLER);
    if (row.answered) {
      void enter();
      const ticket = admission.begin(games);
      jest.advanceTimersByTime(100);
      ticket.end = 'answered';
      admission.leave(games, CALLER, ticket);
    }
    const admitted = Array.from({ length: 16 }, enter).filter((admittance) => admittance === 'admitted');
    expect(admitted).toHaveLength(row.most);
    expect(admission.enter(admission.add('interactive'), in1s(), CALLER)).toBe('admitted');
  });
});
