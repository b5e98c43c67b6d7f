import { beforeAll, describe, expect, it } from '@jest/globals';

import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { folderForAll, stackForAll } from '../../support/suite-service.ts';
import { type CliRun, runCli } from './run-cli.ts';

const SECRET = 'CANARY-secret-key';
/** Every variant is in the spec of findSettings. */
const VARIANTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  other: {
    SIGNATURE_SCALARS: 'json',
    SIGNATURE_OPEN_GAME_CLIENT: 'drop',
    SIGNATURE_JSON_STRINGS: 'all',
    SIGNATURE_JSON_PLACEMENT: 'merge',
    SIGNATURE_EXCLUDE: 'deep',
    RAKE_PARAMETERS_IN: 'query',
  },
  plain: { SIGNATURE_JSON_STRINGS: 'none', SIGNATURE_EXCLUDE: 'deep', SIGNATURE_SCALARS: 'json' },
};
describe('poker-bridge sign probe', () => {
  const clientAs = (name: string) => ({ secretKey: SECRET, settings: VARIANTS[name] });
  const clients = { other: clientAs('other'), plain: clientAs('plain') };
  const file = folderForAll().write('clients.json', JSON.stringify(clients));
  const sandbox = stackForAll().use(new SandboxProcess({ SANDBOX_CLIENTS_FILE: file }));
  let url: string;
  beforeAll(async () => void (url = await sandbox.url));

  const probe = (clientId: string, args: string[] = [], more = {}): Promise<CliRun> => {
    const variables = { ...platformAt(url, clientId, SECRET), ...more };
    return runCli(['sign', 'probe', ...args], { variables });
  };

  it('finds the settings of a sandbox', async () => {
    const { code, lines, stderr } = await probe('other', ['--json']);
    const found = { ...VARIANTS['other'], SIGNATURE_SCHEME_V3: 'parameters' };
    expect([code, stderr, lines]).toEqual([0, '', [found]]);
  });

  it('prints the lines to set, and what makes no difference', async () => {
    const { code, stdout } = await probe('plain');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# found by (\d|1[0-2]) calls\n/);
    expect(stdout.split('\n').slice(1, -4)).toEqual([
      'SIGNATURE_SCALARS=json',
      'SIGNATURE_OPEN_GAME_CLIENT=keep',
      'SIGNATURE_JSON_STRINGS=none',
      '# SIGNATURE_JSON_PLACEMENT: makes no difference there',
      'SIGNATURE_EXCLUDE=deep',
      'SIGNATURE_SCHEME_V3=parameters',
    ]);
    expect(stdout).toMatch(/\nRAKE_PARAMETERS_IN=form\n# PLAYER_COUNTRY_MEMBER: no answer tells/);
  });

  it.each([
    ['another secret key', { PLATFORM_SECRET_KEY: 'wrong' }, 1, /PLATFORM_CLIENT_ID and the secret key/],
    ['no platform there', { PLATFORM_BASE_URL: 'http://127.0.0.1:9/x' }, 3, /not answer \(ECONNREFUSED\)/],
    ['a platform elsewhere', { PLATFORM_API_URL: 'https://a.example' }, 2, /is not this machine.*--yes/],
    ['no secret key', { PLATFORM_SECRET_KEY: '' }, 78, /has no secret key/],
    ['no platform', { PLATFORM_API_URL: '' }, 78, /PLATFORM_API_URL: is required/],
  ])('says what is wrong: %s', async (_, variables, expected, reason) => {
    const { code, stdout, stderr } = await probe('other', [], variables);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(reason)]);
    expect(stderr).not.toContain(SECRET);
  });
});
