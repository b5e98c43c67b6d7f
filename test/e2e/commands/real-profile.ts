import { parseEnv } from 'node:util';

import { expect } from '@jest/globals';

import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { SandboxClient } from '../../support/sandbox-client.ts';
import { stackForAll } from '../../support/suite-service.ts';
import { runCli } from '../cli/run-cli.ts';
import { sandboxedForAll, type SandboxedService } from './sandboxed-service.ts';

/** Records of an ad hoc report; a rake report has half as many. */
export const RECORDS = 120;
/** The real platform gives at most so many records a page. */
export const PAGE_CAP = 50;

/**
 * A sandbox with the profile of the real platform, and a worker with exactly the settings that `sign probe`
 * prints for it.
 */
export function realProfileForAll(): SandboxedService {
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
  return sandboxedForAll(async () => {
    const url = await sandbox.url;
    const args = ['sign', 'probe', '--player', 'tester', '--currency', 'EUR'];
    const { code, stdout, stderr } = await runCli(args, { variables: platformAt(url) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n', 1)).toEqual([
      '# found by 13 calls; to change: SIGNATURE_SCALARS=json SIGNATURE_JSON_STRINGS=none ' +
        'SIGNATURE_REPEATED_NAMES=last SESSION_USER_ID=any',
    ]);
    return { sandbox: new SandboxClient(url), worker: parseEnv(stdout) as Record<string, string> };
  });
}
