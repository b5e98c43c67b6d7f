import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { openConnection, testBrokerCtl, uniquePrefix } from '../../support/broker.ts';
import { type SandboxedService, startSandboxedService } from '../commands/sandboxed-service.ts';
import { runCli } from './run-cli.ts';

const MIB = 1024 * 1024;
const PLAYERS = ['session.create', 'game.open'];
const READS = ['report.ad-hoc.fetch', 'report.rake.fetch'];
const CANARY = 'CANARY-secret-0123456789';

describe('poker-bridge doctor', () => {
  let sandboxed: SandboxedService;
  beforeAll(async () => {
    sandboxed = await startSandboxedService();
  });
  afterAll(async () => sandboxed?.[Symbol.asyncDispose]());

  /** What it finds with the settings of the worker and these, by state. */
  const diagnose = async (changes: Record<string, string> = {}) => {
    const variables = { ...sandboxed.service.variables, AMQP_URL: sandboxed.service.url, ...changes };
    const run = await runCli(['doctor', '--json'], { variables });
    expect(run.stdout + run.stderr).not.toContain(CANARY);
    const found = (state: string) =>
      run.lines
        .filter((line) => line['state'] === state)
        .map(({ subject, message, advice }) => [subject, message, advice].join(' | '));
    return { ...run, faults: found('fail'), warnings: found('warn'), fine: found('ok') };
  };
  const urlWith = (change: (url: URL) => void): string => {
    const url = new URL(sandboxed.service.url);
    change(url);
    return url.href;
  };

  it('finds nothing at fault where a worker runs, and ends with 0', async () => {
    const { code, faults, fine } = await diagnose();
    expect([code, faults]).toEqual([0, []]);
    expect(fine.filter((line) => !line.startsWith('broker settings'))).toEqual([
      expect.stringMatching(/^settings \| can be used; credentials of default/),
      expect.stringMatching(/^broker \| RabbitMQ \d+\.\d+\.\d+ accepts the user/),
      expect.stringMatching(/^permissions \| the user may configure, write and read/),
      expect.stringMatching(/^topology \| all 11 exchanges and queues stand as declared/),
      expect.stringMatching(/^Redis \| REDIS_URL is not set/),
      expect.stringMatching(/^platform default \| http:\S+ answers \(\d+\)/),
      ...PLAYERS.map((operation) =>
        expect.stringMatching(
          new RegExp(`^platform default \\| ${operation} for poker-bridge-doctor, .* is refused \\(422\\)`),
        ),
      ),
      ...READS.map((operation) =>
        expect.stringMatching(`^platform default \\| ${operation} for one second is answered`),
      ),
    ]);
    await expect(sandboxed.platform.player('poker-bridge-doctor')).rejects.toThrow('404');
  });

  it('prints for people, with the advice below each finding and a sum at the end', async () => {
    const variables = { ...sandboxed.service.variables, PLATFORM_SECRET_KEY: CANARY };
    const { code, stdout } = await runCli(['doctor'], { variables });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^fail {2}platform default game\.open: its signature is refused \(400\)\n +→ check the secret key/m,
    );
    expect(stdout).toMatch(/\n\n\d ok, \d to look at, 4 at fault\n$/);
    expect(stdout).not.toContain(CANARY);
  });

  it('names each setting that cannot be used, checks the rest, and ends with 78', async () => {
    const { code, faults, fine } = await diagnose({ PLATFORM_BASE_URL: '', HTTP_PORT: CANARY });
    expect(code).toBe(78);
    expect(faults).toEqual([
      expect.stringMatching(/^settings \| PLATFORM_BASE_URL: is required/),
      expect.stringMatching(/^settings \| HTTP_PORT: must be an integer/),
    ]);
    expect(fine.join()).toMatch(/all 11 exchanges and queues/);
  });

  it.each([
    ['a wrong password', (url: URL) => (url.password = CANARY), /refuses this user or password.*check user/],
    ['a wrong virtual host', (url: URL) => (url.pathname = '/none'), /does not open the virtual host \/none/],
    ['a wrong port', (url: URL) => (url.port = '1'), /No broker can be reached.*check host and port/],
  ])('knows %s of the broker', async (_, change, expected) => {
    const { code, faults } = await diagnose({ AMQP_URL: urlWith((url) => void change(url)) });
    expect([code, faults]).toEqual([1, [expect.stringMatching(expected)]]);
  });

  it('knows a permission that is missing', async () => {
    const user = `doctor-${uniquePrefix()}`;
    await testBrokerCtl('add_user', user, CANARY);
    await testBrokerCtl('set_permissions', user, '.*', '^t-', '.*');
    const url = urlWith((each) => ([each.username, each.password] = [user, CANARY]));
    const { code, faults } = await diagnose({ AMQP_URL: url });
    await testBrokerCtl('delete_user', user);
    expect([code, faults]).toEqual([
      1,
      [
        expect.stringMatching(
          /no write permission: (write )?access to exchange 'amq\.default'.*amq\.default/,
        ),
      ],
    ]);
  });

  it('knows what stands with other properties, and what does not stand', async () => {
    const prefix = uniquePrefix();
    await using broker = await openConnection();
    await broker.channel.assertQueue(`${prefix}.dead-letters`, { durable: true });
    const other = await diagnose({ AMQP_PREFIX: prefix });
    expect(other.code).toBe(1);
    expect(other.faults).toEqual([
      expect.stringMatching(
        /the queue \S+\.dead-letters stands with other properties.*empty and delete it, .* another AMQP_PREFIX/,
      ),
    ]);
    expect(other.warnings.join('\n')).toMatch(/the queue \S+\.interactive is missing.*start a worker/);
    await broker.channel.deleteQueue(`${prefix}.dead-letters`);

    const empty = await diagnose({ AMQP_PREFIX: prefix });
    expect([empty.code, empty.warnings.join('\n')]).toEqual([
      0,
      expect.stringContaining('nothing of this service stands yet'),
    ]);
    await expect(
      broker.connection.createChannel().then((channel) => channel.checkQueue(`${prefix}.interactive`)),
    ).rejects.toThrow(/NOT_FOUND/);
  });

  it('names a retry queue whose delay is no longer set, with what lies there', async () => {
    const queue = sandboxed.service.name('reports.retry.7000');
    await using broker = await openConnection();
    await broker.channel.assertQueue(queue, { durable: true });
    broker.channel.sendToQueue(queue, Buffer.from('{}'));
    await broker.channel.waitForConfirms();
    const { code, warnings } = await diagnose();
    await broker.channel.deleteQueue(queue);
    expect(code).toBe(0);
    expect(warnings).toContainEqual(
      `topology | ${queue} stands, and its delay is not in REPORTS_RETRY_DELAYS_MS; 1 message lies there | wait until it is empty, then delete it`,
    );
  });

  it('knows whether the broker takes messages of more than 16 MiB', async () => {
    // RabbitMQ 4 reads its settings once, when it starts, and keeps this one elsewhere.
    const limit = (bytes: number) =>
      testBrokerCtl(
        'eval',
        `application:set_env(rabbit, max_message_size, ${bytes}), persistent_term:put(max_message_size, ${bytes}).`,
      );
    await limit(16 * MIB);
    const refusing = await diagnose();
    await limit(128 * MIB);
    const taking = await diagnose();
    expect(
      [...refusing.fine, ...taking.warnings].filter((line) => line.includes('messages of more than')),
    ).toEqual([
      expect.stringMatching(/messages of more than 16 MiB are refused/),
      expect.stringMatching(/messages of more than 16 MiB are taken.*max_message_size = 16777216/),
    ]);
  });

  it.each<[string, (platform: string) => Record<string, string>, readonly string[], RegExp]>([
    [
      'a wrong path of PLATFORM_API_URL',
      (platform) => ({ PLATFORM_API_URL: `${platform}/wrong` }),
      ['game.open'],
      /NOT_FOUND \(404\).* \| check the path of PLATFORM_API_URL: \/apiweb/,
    ],
    [
      'a wrong path of PLATFORM_BASE_URL',
      (platform) => ({ PLATFORM_BASE_URL: `${platform}/wrong` }),
      ['session.create', ...READS],
      /NOT_FOUND \(404\).* \| check the path of PLATFORM_BASE_URL/,
    ],
    [
      'a wrong SIGNATURE_OPEN_GAME_CLIENT',
      () => ({ SIGNATURE_OPEN_GAME_CLIENT: 'drop' }),
      ['game.open'],
      /its signature is refused \(400\) \| set SIGNATURE_OPEN_GAME_CLIENT or SIGNATURE_SCHEME_V3/,
    ],
    [
      'a wrong RAKE_PARAMETERS_IN',
      () => ({ RAKE_PARAMETERS_IN: 'query' }),
      ['report.rake.fetch'],
      / \| .*set RAKE_PARAMETERS_IN=form$/,
    ],
  ])('knows %s', async (_, variables, operations, expected) => {
    const { code, faults } = await diagnose(variables(sandboxed.platform.url));
    expect(code).toBe(1);
    expect(faults.map((line) => /\| (\S+):/.exec(line)?.[1])).toEqual(operations);
    for (const fault of faults) expect(fault).toMatch(expected);
  });

  it('says if a platform opens a game with an authType that does not exist', async () => {
    const attributes = {
      playerId: 'poker-bridge-doctor',
      sessionId: 's',
      auth: 'a',
      url: 'http://lobby.example',
    };
    const game = JSON.stringify({ data: { type: 'GameSession', id: 'g', attributes } });
    const server = createServer((_request, response) => void response.end(game));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { warnings } = await diagnose({ PLATFORM_API_URL: `http://127.0.0.1:${port}` });
    server.close();
    expect(warnings.join('\n')).toMatch(/game\.open for poker-bridge-doctor succeeded, .* ask the manager/);
  });

  it('knows a platform that is away, and a Redis that is', async () => {
    const { code, faults } = await diagnose({
      PLATFORM_BASE_URL: 'http://127.0.0.1:1/api/web',
      REDIS_URL: `redis://:${CANARY}@127.0.0.1:1`,
    });
    expect([code, faults]).toEqual([
      1,
      [
        expect.stringMatching(/^Redis \| does not answer: connect ECONNREFUSED.*REDIS_URL/),
        expect.stringMatching(
          /^platform default \| http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)/,
        ),
      ],
    ]);
  });

  it('knows a clock that is off against the Date of the platform', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { date: new Date(Date.now() + 90_000).toUTCString() }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { warnings } = await diagnose({ PLATFORM_BASE_URL: `http://127.0.0.1:${port}/api/web` });
    server.close();
    expect(warnings.join('\n')).toMatch(/clock \| our clock is (89|90|91) s behind that of .*chrony/);
  });

  it('says that one operator has no secret key, and which settings look wrong', async () => {
    const { code, warnings, faults } = await diagnose({
      PLATFORM_SECRET_KEY: '',
      PLATFORM_SECRT_KEY: CANARY,
    });
    expect(code).toBe(1);
    expect(warnings.join('\n')).toMatch(/PLATFORM_SECRT_KEY is not a setting.*PLATFORM_SECRET_KEY meant/);
    expect(warnings.join('\n')).toMatch(/signature default \| no secret key: games are opened unsigned/);
    expect(faults).toEqual([
      expect.stringMatching(/game\.open: its signature is refused .*check the secret key/),
    ]);
  });
});
