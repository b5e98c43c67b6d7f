import { createServer, type RequestListener } from 'node:http';

import { describe, expect, it } from '@jest/globals';

import { listenOnLoopback } from '../../support/loopback-server.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { brokerUrlOf, CANARY, diagnosesOf } from './diagnose.ts';
import { inFrontOf, refusesGetWithBody } from './intermediary.ts';
import { runCli } from './run-cli.ts';

describe('poker-bridge doctor', () => {
  const sandboxed = sandboxedForAll();
  const folder = folderForAll();
  const diagnose = diagnosesOf(sandboxed);

  it('reports no fault if a worker runs, and exits with 0', async () => {
    const { code, faults, fine, warnings } = await diagnose();
    expect([code, faults]).toEqual([0, []]);
    expect(warnings).not.toContain('topology');
    const found = [
      /^settings \| can be used; credentials of default/,
      /^broker \| RabbitMQ \d+\.\d+\.\d+ accepts the user/,
      /^permissions \| the user may configure, write and read/,
      /^topology \| all 11 exchanges and queues exist as declared/,
      /^Redis \| REDIS_URL is not set/,
      /^platform default \| http:\S+ answers \(\d+\)/,
      /^platform default \| session\.create for poker-bridge-doctor, .* is refused \(422\)/,
      /^platform default \| game\.open for poker-bridge-doctor, .* is refused \(422\)/,
      /^platform default \| report\.ad-hoc\.fetch for one second is answered/,
      /^platform default \| report\.rake\.fetch for one second is answered/,
    ];
    expect(fine.filter((line) => !line.startsWith('broker settings'))).toEqual(
      found.map((line) => expect.stringMatching(line)),
    );
    await expect(sandboxed.platform.player('poker-bridge-doctor')).rejects.toThrow('404');
  });

  it('prints for people, with the advice below each finding and counts at the end', async () => {
    const variables = { ...sandboxed.service.variables, PLATFORM_SECRET_KEY: CANARY };
    const { code, stdout } = await runCli(['doctor'], { variables });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^fail {2}platform default game\.open: its signature is refused \(400\)\n +→ check PLATFORM_CLIENT_ID and the secret key/m,
    );
    expect(stdout).toMatch(/\n\n\d ok, \d to look at, 4 at fault\n$/);
    expect(stdout).not.toContain(CANARY);
  });

  it('names each invalid setting, checks the rest, and exits with 78', async () => {
    const { code, faults, fine } = await diagnose({ PLATFORM_BASE_URL: '', HTTP_PORT: CANARY });
    expect([code, faults.join('\n')]).toEqual([
      78,
      expect.stringMatching(
        /^settings \| PLATFORM_BASE_URL: is required.*\nsettings \| HTTP_PORT: must be an integer.*$/,
      ),
    ]);
    expect(fine.join()).toMatch(/all 11 exchanges and queues/);
  });

  it.each<[string, () => Record<string, string>, ...(readonly RegExp[])]>([
    [
      'a wrong port of the broker, a Redis and a platform that are away',
      () => ({
        AMQP_URL: brokerUrlOf(sandboxed, { port: '1' }),
        REDIS_URL: `redis://:${CANARY}@127.0.0.1:1`,
        PLATFORM_BASE_URL: 'http://127.0.0.1:1/api/web',
      }),
      /No broker can be reached.*check host and port/,
      /^Redis \| does not answer: connect ECONNREFUSED.*REDIS_URL/,
      /^platform default \| http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
    ],
    [
      'a wrong path of PLATFORM_API_URL',
      () => ({ PLATFORM_API_URL: `${sandboxed.platform.url}/wrong` }),
      /game\.open: NOT_FOUND \(404\).* \| check the path of PLATFORM_API_URL: \/apiweb/,
    ],
    [
      'a wrong path of PLATFORM_BASE_URL',
      () => ({ PLATFORM_BASE_URL: `${sandboxed.platform.url}/wrong` }),
      /session\.create: \w*NOT_FOUND \(404\).* \| check the path of PLATFORM_BASE_URL/,
      /report\.ad-hoc\.fetch: \w*NOT_FOUND \(404\).* \| check the path of PLATFORM_BASE_URL/,
      /report\.rake\.fetch: \w*NOT_FOUND \(404\).* \| check the path of PLATFORM_BASE_URL/,
    ],
    [
      'a wrong SIGNATURE_SCALARS',
      () => ({ SIGNATURE_SCALARS: 'json' }),
      /game\.open: its signature is refused \(400\) \| set SIGNATURE_SCALARS=php$/,
    ],
    [
      'a wrong RAKE_PARAMETERS_IN',
      () => ({ RAKE_PARAMETERS_IN: 'query' }),
      /report\.rake\.fetch: .* \| .*set RAKE_PARAMETERS_IN=form$/,
    ],
  ])('reports %s', async (_, changes, ...expected) => {
    const { code, faults } = await diagnose(changes());
    expect([code, faults]).toEqual([1, expected.map((fault) => expect.stringMatching(fault))]);
  });

  it.each([
    ['takes no session id', ['SESSION_ID', 'omit'], 'document', 'INCORRECT_DATA.*set SESSION_ID=omit$'],
    ['names it in a text', ['SESSION_ID', 'omit'], 'real', 'INCORRECT_DATA.*set SESSION_ID=omit$'],
  ])(
    'names the line to set for a platform that %s',
    async (_, [point = '', value = ''], profile, expected) => {
      await using sandbox = new SandboxProcess({ [`SANDBOX_${point}`]: value, SANDBOX_PROFILE: profile });
      const { faults } = await diagnose(platformAt(await sandbox.url));
      expect(faults).toEqual([expect.stringMatching(new RegExp(`game.open: .*${expected}`))]);
      expect((await diagnose({ ...platformAt(await sandbox.url), [point]: value })).faults).toEqual([]);
    },
  );

  it('tries no wrong signature on another machine, and names the lines that need none', async () => {
    const open = { SANDBOX_SESSION_ID: 'omit', SANDBOX_RAKE_PARAMETERS_IN: 'query' };
    await using sandbox = new SandboxProcess(open);
    await using proxy = await inFrontOf(await sandbox.url, {});
    const remote = { ALLOW_CLEARTEXT: 'true', PLATFORM_PROXY_URL: proxy.origin };
    const at = platformAt('http://platform.example');
    const { faults } = await diagnose({ ...remote, ...at });
    expect(faults).toEqual([
      expect.stringMatching(/game\.open: INCORRECT_DATA .* \| set SESSION_ID=omit$/),
      expect.stringMatching(/report\.rake\.fetch: INCORRECT_DATA .* \| set RAKE_PARAMETERS_IN=query$/),
    ]);
    const refused = await diagnose({ ...remote, ...at, SIGNATURE_OPEN_GAME_CLIENT: 'drop' });
    expect(refused.faults).toEqual([
      expect.stringMatching(/game\.open: its signature is refused .* sign probe --yes finds them$/),
      expect.stringMatching(/report\.rake\.fetch: .* \| set RAKE_PARAMETERS_IN=query$/),
    ]);
  });

  it('names the line to set for a CDN that refuses a GET with a body', async () => {
    await using sandbox = new SandboxProcess({ SANDBOX_RAKE_PARAMETERS_IN: 'query' });
    await using cdn = await inFrontOf(await sandbox.url, { refuses: refusesGetWithBody });
    const { faults } = await diagnose(platformAt(cdn.origin));
    expect(faults).toEqual([
      expect.stringMatching(/report\.rake\.fetch: FORBIDDEN \(403\).* \| set RAKE_PARAMETERS_IN=query$/),
    ]);
  });

  it('calls with the key of the operator whose signature is rejected', async () => {
    const operators = JSON.stringify({ other: { clientId: 'sandbox', secretKey: CANARY } });
    const { faults } = await diagnose({ OPERATORS_FILE: folder.write('operators.json', operators) });
    const expected =
      /^platform other \| .*its signature is refused .* check PLATFORM_CLIENT_ID and the secret key/;
    expect(faults).toEqual(Array(4).fill(expect.stringMatching(expected)));
  });

  it('says what the platform did not answer, for how long, and who acts', async () => {
    const [unavailable, slow] = ['ad-hoc-report', 'rake'];
    await sandboxed.platform.fault({ kind: 'status', status: 503, operation: unavailable });
    await sandboxed.platform.fault({ kind: 'latency', fixedMs: 20_000, spreadMs: 0, operation: slow });
    const { faults } = await diagnose();
    await sandboxed.platform.clearFaults();
    const acts = 'tell the people who run the platform; workers continue by themselves once it answers';
    expect(faults).toEqual([
      `platform default | report.ad-hoc.fetch: PLATFORM_UNAVAILABLE: the platform answers HTTP 503 | ${acts}`,
      expect.stringMatching(
        /report\.rake\.fetch: \w+: the platform does not answer: timeout after 10\.\d s \| tell/,
      ),
    ]);
  });

  const session = { playerId: 'poker-bridge-doctor', sessionId: 's', auth: 'a', url: 'http://lobby.example' };
  const game = JSON.stringify({ data: { type: 'GameSession', id: 'g', attributes: session } });
  it.each<[string, string, RequestListener, RegExp]>([
    [
      'opens a game with an authType that does not exist',
      'PLATFORM_API_URL',
      (_, response) => void response.end(game),
      /game\.open for poker-bridge-doctor succeeded, .*was created.* ask the manager/,
    ],
    [
      'has another clock',
      'PLATFORM_BASE_URL',
      (_, response) =>
        void response.writeHead(404, { date: new Date(Date.now() + 90_000).toUTCString() }).end(),
      /clock \| our clock is (89|90|91) s behind that of .*chrony/,
    ],
  ])('warns about a platform that %s', async (_, variable, answer, expected) => {
    // The platform answers every request in the same way.
    await using server = createServer(answer);
    const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
    expect((await diagnose({ [variable]: url })).warnings).toMatch(expected);
  });

  it('warns about an operator without a secret key, and about misspelled settings', async () => {
    const { warnings, faults } = await diagnose({ PLATFORM_SECRET_KEY: '', PLATFORM_SECRT_KEY: CANARY });
    expect(warnings).toMatch(/PLATFORM_SECRT_KEY is not a setting.*PLATFORM_SECRET_KEY meant/);
    expect(warnings).toMatch(/signature default \| no secret key: games are opened unsigned/);
    const refused: unknown = expect.stringMatching(
      /game\.open: its signature is refused .*check PLATFORM_CLIENT_ID and the secret key/,
    );
    expect(faults).toEqual([refused]);
  });
});
