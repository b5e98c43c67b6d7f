import { parseEnv } from 'node:util';

import { describe, expect, it } from '@jest/globals';

import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { runCli } from '../cli/run-cli.ts';
import { openCallers } from '../caller/open-callers.ts';
import { DAY } from '../../support/platform-answers.ts';
import { SandboxClient } from '../../support/sandbox-client.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { sandboxedForAll } from './sandboxed-service.ts';

const RECORDS = 120;

describe('the profile of the real platform', () => {
  const sandbox = stackForAll().use(
    new SandboxProcess({
      SANDBOX_PROFILE: 'real',
      SANDBOX_REPORT_RECORDS: String(RECORDS),
      SANDBOX_CURRENCY_MANDATORY: 'true',
      SANDBOX_SIGNATURE_REPEATED_NAMES: 'last',
      SANDBOX_SIGNATURE_SCALARS: 'json',
      SANDBOX_SIGNATURE_JSON_STRINGS: 'none',
    }),
  );
  // The worker has the lines that the probe prints, and no other settings.
  const sandboxed = sandboxedForAll(async () => {
    const url = await sandbox.url;
    const args = ['sign', 'probe', '--player', 'tester', '--currency', 'EUR'];
    const { code, stdout, stderr } = await runCli(args, { variables: platformAt(url) });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n', 1)).toEqual([
      '# found by 13 calls; to change: SIGNATURE_SCALARS=json SIGNATURE_JSON_STRINGS=none ' +
        'SIGNATURE_REPEATED_NAMES=last SESSION_USER_ID=any',
    ]);
    return { sandbox: new SandboxClient(url), worker: parseEnv(stdout) as Record<string, string> };
  });
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
      expect(sizes.every((size) => size <= 50)).toBe(true);
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
