import { beforeAll, describe, expect, it } from '@jest/globals';

import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { SandboxClient } from '../../support/sandbox-client.ts';
import { folderForAll, stackForAll } from '../../support/suite-service.ts';
import { inFrontOf, refusesGetWithBody } from './intermediary.ts';
import { type CliRun, runCli } from './run-cli.ts';

type Variables = Readonly<Record<string, string>>;

const SECRET = 'CANARY-secret-key';
const FOREIGN = { SIGNATURE_JSON_STRINGS: 'none', SIGNATURE_EXCLUDED: 'client-id' };
const PHP = { ...FOREIGN, SIGNATURE_REPEATED_NAMES: 'last' };
const OTHER = {
  SIGNATURE_SCALARS: 'json',
  SIGNATURE_OPEN_GAME_CLIENT: 'drop',
  SIGNATURE_JSON_STRINGS: 'all',
  SIGNATURE_JSON_PLACEMENT: 'merge',
  SIGNATURE_EXCLUDE: 'deep',
  SIGNATURE_REPEATED_NAMES: 'last',
  RAKE_PARAMETERS_IN: 'query',
};

/**
 * Settings of sandboxes, the lines found, and the questions to ask. The spec of findSettings has every
 * combination.
 */
const PLATFORMS: Readonly<Record<string, readonly [Variables, Variables, (readonly RegExp[])?]>> = {
  document: [{}, {}],
  'every other value': [OTHER, OTHER],
  'raw bytes, own ids': [
    { SIGNATURE_SCHEME_V3: 'raw-body', SESSION_ID: 'omit' },
    { SIGNATURE_SCHEME_V3: 'raw-body', SESSION_ID: 'omit' },
  ],
  'rake in the query': [{ RAKE_PARAMETERS_IN: 'query' }, { RAKE_PARAMETERS_IN: 'query' }],
  'another client key': [{ PLATFORM_CLIENT_KEY: 'other' }, {}, [/ask for the value of client/]],
  a1: [{ ...PHP, SIGNATURE_SORTING: 'by-value' }, { SIGNATURE_JSON_STRINGS: 'none' }, [/per-page/, /sorted/]],
  a2: [{ ...PHP, SIGNATURE_SORTING: 'top' }, { SIGNATURE_JSON_STRINGS: 'none' }, [/per-page/, /sorted/]],
  a4: [{ SIGNATURE_JSON_PLACEMENT: 'merge-top' }, { SIGNATURE_JSON_PLACEMENT: 'merge' }],
  b1: [
    { ...FOREIGN, SIGNATURE_SCALARS: 'json' },
    { SIGNATURE_JSON_STRINGS: 'none', SIGNATURE_SCALARS: 'json' },
    [/per-page/],
  ],
  b3: [
    { ...FOREIGN, SIGNATURE_SCALARS: 'python' },
    { SIGNATURE_JSON_STRINGS: 'none' },
    [/per-page/, /booleans/],
  ],
};

describe('poker-bridge sign probe', () => {
  const clients = Object.entries(PLATFORMS).map(([name, [settings]]) => [
    name,
    { secretKey: SECRET, settings },
  ]);
  const file = folderForAll().write('clients.json', JSON.stringify(Object.fromEntries(clients)));
  const sandbox = stackForAll().use(new SandboxProcess({ SANDBOX_CLIENTS_FILE: file }));
  let url: string;
  beforeAll(async () => void (url = await sandbox.url));

  const probe = (clientId: string, args: string[] = [], more = {}): Promise<CliRun> => {
    const variables = { ...platformAt(url, clientId, SECRET), ...more };
    return runCli(['sign', 'probe', ...args], { variables });
  };

  it.each(Object.entries(PLATFORMS))(
    'finds what to set for a platform: %s',
    async (name, [, lines, asks = []]) => {
      const { code, stdout, stderr } = await probe(name);
      const [head = ''] = stdout.split('\n');
      const [, calls, changes = ''] = /^# found by (\d+) calls; to change: (.*)$/.exec(head) ?? [];
      const none =
        asks.length > 0 ? 'no setting solves the problems below' : 'the present settings are right';
      const expected = Object.entries(lines).map((line) => line.join('='));
      expect({ changes: changes.split(/ (?=[A-Z])/).toSorted(), code }).toEqual({
        changes: expected.length > 0 ? expected.toSorted() : [`nothing: ${none}`],
        code: asks.length > 0 ? 1 : 0,
      });
      for (const ask of asks) expect(stderr).toMatch(ask);
      expect(Number(calls)).toBeLessThanOrEqual(16);
      // The platform counts the same calls, and has created nothing.
      const { json } = await new SandboxClient(url).get('/sandbox/counters');
      const counters = Object.values(json as Readonly<Record<string, { received: number }>>);
      expect(counters.reduce((sum, { received }) => sum + received, 0)).toBe(Number(calls));
      await new SandboxClient(url).send({ method: 'POST', path: '/sandbox/reset' });
    },
  );

  it('confirms the lines that it printed, and prints them as JSON', async () => {
    const { code, lines } = await probe('every other value', ['--json'], OTHER);
    const others = { SIGNATURE_SCHEME_V3: 'parameters', SESSION_ID: 'derive', REPORT_RECORDS: 'strict' };
    const found = { ...OTHER, ...others };
    expect({ code, lines }).toEqual({ code: 0, lines: [found] });
  });

  it('finds the settings with which responses can be read, with --player also those of sessions', async () => {
    const rewrites = (body: string) =>
      body
        .replace(/"user-id":"tester"/, '"user-id":"7"')
        .replace(/"((?:redirect-)?url)":"http:/, '"$1":"poker:')
        .replace(/"win":-?\d+/, '"win":0.5');
    await using other = await inFrontOf(url, { rewrites, refuses: refusesGetWithBody });
    const variables = platformAt(other.origin, 'rake in the query', SECRET);
    const alone = await runCli(['sign', 'probe'], { variables });
    expect(alone.stdout).toMatch(
      /change: RAKE_PARAMETERS_IN=query REPORT_RECORDS=lenient\n[^]*\n# SESSION_USER_ID, PLATFORM_URL_SCHEMES: not checked/,
    );
    const { code, stdout } = await runCli(['sign', 'probe', '--player', 'tester'], { variables });
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /\nREPORT_RECORDS=lenient\nSESSION_USER_ID=any\nPLATFORM_URL_SCHEMES=https,poker\n/,
      ),
    ]);
  });

  it.each([
    ['another secret key', { PLATFORM_SECRET_KEY: 'wrong' }, 1, /PLATFORM_CLIENT_ID and the secret key/],
    ['no platform there', { PLATFORM_BASE_URL: 'http://127.0.0.1:9/x' }, 3, /does not answer .*\(refused\)/],
    ['a platform elsewhere', { PLATFORM_API_URL: 'https://a.example' }, 2, /is not this machine.*--yes/],
    ['no secret key', { PLATFORM_SECRET_KEY: '' }, 78, /has no secret key/],
    ['no platform', { PLATFORM_API_URL: '' }, 78, /PLATFORM_API_URL: is required/],
  ])('explains the failure: %s', async (_, variables, expected, reason) => {
    const { code, stdout, stderr } = await probe('document', [], variables);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(reason)]);
    expect(stderr).not.toContain(SECRET);
  });
});
