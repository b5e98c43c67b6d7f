import { createServer, type RequestListener } from 'node:http';

import { describe, expect, it } from '@jest/globals';

import { openConnection, testBrokerCtl, uniquePrefix } from '../../support/broker.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { healthy } from '../../support/platform-answers.ts';
import { ServiceUnderTest } from '../../support/service-under-test.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { sandboxedForAll } from '../commands/sandboxed-service.ts';
import { inFrontOf, refusesGetWithBody } from './intermediary.ts';
import { runCli } from './run-cli.ts';

const MIB = 1024 * 1024;
const CANARY = 'CANARY-secret-0123456789';
const WRONG_SIGNATURES =
  'OPEN_GAME_CLIENT=drop=keep SCALARS=json=php JSON_STRINGS=all=containers JSON_PLACEMENT=merge=in-place EXCLUDE=deep=top REPEATED_NAMES=last=all SCHEME_V3=raw-body=parameters'
    .split(' ')
    .map((setting) => `SIGNATURE_${setting}`.split('=') as [string, string, string]);

describe('poker-bridge doctor', () => {
  const sandboxed = sandboxedForAll();
  const folder = folderForAll();

  /** Returns the findings by state, for the settings of the worker with these changes. */
  const diagnose = async (changes: Record<string, string> = {}) => {
    const variables = { ...sandboxed.service.variables, AMQP_URL: sandboxed.service.url, ...changes };
    const run = await runCli(['doctor', '--json'], { variables });
    expect(run.stdout + run.stderr).not.toContain(CANARY);
    const found = (state: string) =>
      run.lines
        .filter((line) => line['state'] === state)
        .map(({ subject, message, advice }) => [subject, message, advice].join(' | '));
    return { ...run, faults: found('fail'), warnings: found('warn').join('\n'), fine: found('ok') };
  };
  const urlWith = (change: Partial<URL>): string =>
    Object.assign(new URL(sandboxed.service.url), change).href;

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
      'a wrong password',
      () => ({ AMQP_URL: urlWith({ password: CANARY }) }),
      /refuses this user or password.*check user/,
    ],
    [
      'a wrong port of the broker, a Redis and a platform that are away',
      () => ({
        AMQP_URL: urlWith({ port: '1' }),
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
    ...WRONG_SIGNATURES.map(([name, value, right]): [string, () => Record<string, string>, RegExp] => [
      `a wrong ${name}`,
      () => ({ [name]: value }),
      new RegExp(`game\\.open: its signature is refused \\(400\\) \\| set ${name}=${right}$`),
    ]),
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
    [
      'flattens values with their names kept',
      ['SIGNATURE_REPEATED_NAMES', 'last'],
      'document',
      'signature is refused.*set SIGNATURE_REPEATED_NAMES=last',
    ],
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

  it('names a permission that is missing', async () => {
    const user = `doctor-${uniquePrefix()}`;
    await testBrokerCtl('add_user', user, CANARY);
    await testBrokerCtl('set_permissions', user, '.*', '^t-', '.*');
    const { code, faults } = await diagnose({ AMQP_URL: urlWith({ username: user, password: CANARY }) });
    await testBrokerCtl('delete_user', user);
    const expected =
      /no write permission: (write )?access to exchange 'amq\.default'.*rabbitmqctl set_permissions.* 'doctor-/;
    expect([code, faults]).toEqual([1, [expect.stringMatching(expected)]]);
  });

  it('reports queues that differ or are missing, without declaring them', async () => {
    const prefix = uniquePrefix();
    await using broker = await openConnection();
    await broker.channel.assertQueue(`${prefix}.dead-letters`, { durable: true });
    const other = await diagnose({ AMQP_PREFIX: prefix });
    const different =
      /the queue \S+\.dead-letters exists with other properties.*empty and delete it, .* another/;
    expect([other.code, other.faults]).toEqual([1, [expect.stringMatching(different)]]);
    expect(other.warnings).toMatch(/the queue \S+\.interactive is missing.*start a worker/);
    await broker.channel.deleteQueue(`${prefix}.dead-letters`);
    const empty = await diagnose({ AMQP_PREFIX: prefix });
    const nothing: unknown = expect.stringContaining('nothing of this service exists yet');
    expect([empty.code, empty.warnings]).toEqual([0, nothing]);
  });

  it('names a retry queue whose delay is no longer set, and counts its messages', async () => {
    const queue = sandboxed.service.name('reports.retry.7000');
    await using broker = await openConnection();
    await broker.channel.assertQueue(queue, { durable: true });
    broker.channel.sendToQueue(queue, Buffer.from('{}'));
    await broker.channel.waitForConfirms();
    const { code, warnings } = await diagnose();
    await broker.channel.deleteQueue(queue);
    const expected = `topology | ${queue} exists, but its delay is not in REPORTS_RETRY_DELAYS_MS; it holds 1 message | wait until it is empty, then delete it`;
    expect([code, warnings.split('\n')]).toEqual([0, expect.arrayContaining([expected])]);
  });

  it('says that a lane without a consumer may be paused on purpose, if workers are connected', async () => {
    await using service = await ServiceUnderTest.start({
      behaviour: healthy(),
      variables: { LANES: 'interactive' },
      workers: 1,
    });
    service.caller.channel.sendToQueue(service.name('reports'), Buffer.from('{}'));
    await until('it is there', async () => (await service.depth('reports')) === 1);
    const { warnings } = await diagnose({ AMQP_PREFIX: service.prefix });
    expect(warnings).toMatch(
      /no worker consumes \S+\.reports, which holds 1 message; workers are connected \| workers pause this lane/,
    );
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

  it('reports whether the broker takes messages of more than 16 MiB', async () => {
    // RabbitMQ 4 reads its settings at startup, and caches this one as a persistent term.
    const limit = (bytes: number) =>
      testBrokerCtl(
        'eval',
        `application:set_env(rabbit, max_message_size, ${bytes}), persistent_term:put(max_message_size, ${bytes}).`,
      );
    await limit(16 * MIB);
    expect((await diagnose()).fine.join()).toMatch(/messages of more than 16 MiB are refused/);
    await limit(128 * MIB);
    expect((await diagnose()).warnings).toMatch(/more than 16 MiB are taken.*max_message_size = 16777216/);
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
