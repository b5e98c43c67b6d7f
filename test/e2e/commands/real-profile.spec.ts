import { describe, expect, it } from '@jest/globals';

import { DAY } from '../../support/platform-answers.ts';
import { openCallers } from '../caller/open-callers.ts';
import { runCli } from '../cli/run-cli.ts';
import { PAGE_CAP, realProfileForAll, RECORDS } from './real-profile.ts';

describe('the profile of the real platform', () => {
  const sandboxed = realProfileForAll();
  const cli = (...args: string[]) => {
    const { variables, url } = sandboxed.service;
    return runCli(args, { variables: { ...variables, AMQP_URL: url } });
  };

  it('serves all four commands of a caller', async () => {
    await using callers = openCallers(sandboxed.service);
    const caller = callers.open();
    const session = await caller.createSession({ userId: 'player-00000007', currency: 'EUR' });
    expect(session).toMatchObject({ userId: 'player-00000007', platformUserId: '7' });
    expect(await caller.openGame({ player: { id: 'ada', nick: 'Ace', currency: 'EUR' } })).toMatchObject({
      playerId: 'ada',
    });
    const taken = caller.openGame({ player: { id: 'bob', nick: 'Ace', currency: 'EUR' } });
    await expect(taken).rejects.toMatchObject({
      code: 'NICKNAME_TAKEN',
      violations: [{ pointer: '/player/nick' }],
    });
    await expect(caller.openGame({ player: { id: 'bob' } })).rejects.toMatchObject({
      code: 'CURRENCY_REQUIRED',
    });
    const reports = [
      [caller.fetchAdHocReport(DAY), RECORDS],
      [caller.fetchRakeReport(DAY), RECORDS / 2],
    ] as const;
    for (const [report, records] of reports) {
      const sizes: number[] = [];
      for await (const page of report) sizes.push(page.records.length);
      expect(sizes.every((size) => size <= PAGE_CAP)).toBe(true);
      expect(report.summary).toMatchObject({
        records,
        totalCount: records,
        missing: 0,
        repeated: 0,
        faults: 0,
      });
    }
    await sandboxed.platform.fault({ kind: 'status', status: 429, retryAfter: '1', count: 1 });
    expect(await caller.createSession({ userId: 'ada', currency: 'EUR' })).toMatchObject({ userId: 'ada' });
  });

  it('passes doctor and sign probe, and serves a report of the command line', async () => {
    const [doctor, probe, report] = await Promise.all([
      cli('doctor', '--json'),
      cli('sign', 'probe', '--json'),
      cli('report', 'ad-hoc', '--day', '2026-01-01', '--out', '-', '--json'),
    ]);
    expect(doctor.lines.filter(({ state }) => state === 'fail')).toEqual([]);
    expect(probe).toMatchObject({ code: 0, stderr: '' });
    expect(report).toMatchObject({ code: 0 });
  });
});
