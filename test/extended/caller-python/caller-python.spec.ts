import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import spawn from 'nano-spawn';

import { CALLER_CODES } from '#caller';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { installMissing } from '../../../scripts/debian.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { fencesOf, read, root } from '../../docs/markdown.ts';
import { sandboxedForAll } from '../../e2e/commands/sandboxed-service.ts';
import { openConnection, testBrokerCtl, uniquePrefix } from '../../support/broker.ts';
import { installPythonClient } from '../../support/python-client.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { until } from '../../support/until.ts';

const CLIENT = join(root, 'libs/caller-python');
const TESTS = join(CLIENT, 'tests');
const TEST_NAMES = globSync(join(TESTS, 'test_*.py')).flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/def (test_\w+)/g)].map(([, name = '']) => name),
);
const MYPY = '/usr/bin/mypy';

jest.setTimeout(300_000);

const PYTEST = 'Test against the sandbox';
const samplesOf = (path: string, isWanted = (heading: string) => heading !== PYTEST) =>
  fencesOf(read(path))
    .filter(({ language, heading }) => language === 'python' && isWanted(heading))
    .map(({ text }) => text)
    .join('\n');
/** The samples of the document as one program; the test adds the code that waits and closes. */
const SAMPLES = `${samplesOf('docs/caller-python.md')}
import time

while not inbox:
    time.sleep(0.02)
print("inbox:", ",".join(reply.type for reply in inbox.values()))
service.close()
caller.close()
`;
const PYTEST_SAMPLE = samplesOf('docs/caller-python.md', (heading) => heading === PYTEST);
/** Prints, line by line, the calls that end during an alarm and the commands sent after it. */
const ALARMED = `import os, time, pika
from poker_bridge import Caller, CallerError

url = os.environ["AMQP_URL"]
with pika.BlockingConnection(pika.URLParameters(url)) as connection, Caller(url, "alarmed") as caller:
    channel = connection.channel()
    channel.exchange_declare("poker.commands", "direct", durable=True)
    channel.queue_declare("taken", durable=True)
    channel.queue_bind("taken", "poker.commands", "session.create")
    caller.ready()
    prepared = caller.prepare("session.create", {"userId": "alice"})
    for call in (
        lambda: caller.create_session({"userId": "alice"}, deadline_ms=1_500),
        lambda: list(caller.fetch_rake_report({"dateFrom": "", "dateTo": ""}, deadline_ms=1_500)),
        lambda: caller.publish(prepared, deadline_ms=1_500),
    ):
        began = time.monotonic()
        try:
            call()
        except CallerError as error:
            print(error, "after", round(time.monotonic() - began), "s", flush=True)
    print(caller.last_error, flush=True)
    caller.publish(prepared, deadline_ms=60_000)
    print("sent", caller.last_error, flush=True)
`;
/** Faults that a type checker must find, next to valid code. */
const TYPED = `from poker_bridge import Caller, CallerError

caller = Caller("amqp://127.0.0.1:1", "shop")
url: str = caller.open_game({"player": {"id": "alice"}})["url"]
wrong_member = caller.create_session({"userId": "alice", "user": "x"})
wrong_value = caller.create_session({"userId": 1})
wrong_option = caller.create_session({"userId": "alice"}, deadline="10 s")
try:
    caller.create_session({"userId": "alice"})
except CallerError as error:
    right = error.code == "NICKNAME_TAKEN" or error.code == "NO_WORKER"
    wrong_code = error.code == "NICKNAME_TAKE"
for record in caller.fetch_rake_report({"dateFrom": "", "dateTo": ""}).records():
    rake: int = record["value"]
    wrong_amount: str = record["value"]
`;

async function run(
  program: string,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const environment = { PYTHONDONTWRITEBYTECODE: '1', ...variables };
  const { code, stdout, stderr } = await new Program(program, args, environment).result;
  return { code, output: stdout + stderr };
}

describe('poker_bridge, installed from its wheel', () => {
  const folder = folderForAll();
  let python: string;
  beforeAll(async () => {
    await installMissing({ 'python3-pytest': '/usr/lib/python3/dist-packages/pytest/__init__.py' });
    python = await installPythonClient(folder.path);
  });

  describe('the tests of the library, with a worker and a sandbox', () => {
    const sandboxed = sandboxedForAll({
      sandbox: { SANDBOX_REPORT_RECORDS: '200' },
      worker: { PLATFORM_MAX_ATTEMPTS: '1', CURRENCY_PRECISIONS: 'EUR=2,USD=4,BTC=8' },
    });
    let passed: readonly string[] = [];
    let output: string;
    beforeAll(async () => {
      const { service, platform } = sandboxed;
      const env = { AMQP_URL: service.url, AMQP_PREFIX: service.prefix, SANDBOX_URL: platform.url };
      const file = join(folder.path, 'passed.json');
      ({ output } = await run(python, [join(TESTS, 'run.py'), file], env));
      if (existsSync(file)) passed = JSON.parse(readFileSync(file, 'utf8'));
    });

    it.each(TEST_NAMES)('%s', (name) => {
      expect(passed.includes(name) ? 'passed' : output).toBe('passed');
    });
  });

  describe('the samples of docs/caller-python.md', () => {
    const name = uniquePrefix();
    const sandboxed = sandboxedForAll({
      sandbox: { SANDBOX_REPORT_RECORDS: '25', SANDBOX_UNKNOWN_PLAYERS: 'refuse' },
    });
    afterAll(async () => {
      await using bus = await openConnection();
      for (const instance of ['0', 'outbox']) await bus.channel.deleteQueue(`${name}.replies.${instance}`);
    });

    it('run', async () => {
      const { url, prefix } = sandboxed.service;
      const adapted = SAMPLES.replaceAll('"shop"', `"${name}", prefix="${prefix}"`);
      const result = await run(python, [folder.write('samples.py', adapted)], { AMQP_URL: url });
      expect(result.output.trim().split('\n')).toEqual([
        expect.stringMatching(/^lobby: http:\S+lang=de$/),
        'unknown player',
        expect.stringMatching(/^\d+\.\d\d EUR in \d+ records$/),
        `ready, with replies in ${name}.replies.0`,
        expect.stringMatching(/^awaited: http:/),
        'inbox: session.created',
      ]);
      expect(result.code).toBe(0);
    });

    it.each(['it starts and stops', 'is running'])(
      'run under pytest with a sandbox that %s',
      async (which) => {
        const { service, platform } = sandboxed;
        const env = {
          HOME: process.env['HOME'] ?? '',
          AMQP_URL: service.url,
          ...(which === 'is running'
            ? { AMQP_PREFIX: service.prefix, SANDBOX_URL: platform.url }
            : { POKER_BRIDGE_CHECKOUT: root }),
        };
        const file = folder.write('test_lobby.py', PYTEST_SAMPLE.replaceAll('"shop"', `"${name}"`));
        const { output } = await run(python, ['-m', 'pytest', '-p', 'no:cacheprovider', file], env);
        expect(output).toMatch(/^=+ 1 passed in /m);
        const broker = await testBrokerCtl('list_queues', 'name');
        expect(broker).not.toContain('poker-fixture-');
      },
    );
  });

  it('ends each call at its deadline during a memory alarm, and names the alarm', async () => {
    await using broker = await startBroker();
    await broker.ctl('set_vm_memory_high_watermark', '0');
    const alarms = () => broker.ctl('eval', 'length(rabbit_alarm:get_alarms()).');
    await until('there is an alarm', async () => (await alarms()).trim() === '1');
    const env = { AMQP_URL: broker.url };
    const lines: string[] = [];
    for await (const line of spawn(python, [folder.write('alarmed.py', ALARMED)], { env }).stdout) {
      lines.push(line);
      if (line.startsWith('the broker')) await broker.ctl('set_vm_memory_high_watermark', '0.6');
    }
    const blocked = /^NOT_SENT: .+ the broker takes no commands: low on memory\. after 2 s$/;
    expect(lines).toEqual([
      ...[1, 2, 3].map(() => expect.stringMatching(blocked)),
      'the broker takes no commands: low on memory',
      'sent None',
    ]);
  });

  it('has the same codes as the Node.js library', async () => {
    const lines = [
      'import json, typing',
      'from poker_bridge import CALLER_CODES, CallerCode',
      'assert set(typing.get_args(CallerCode)) == set(CALLER_CODES)',
      'print(json.dumps({code: facts._asdict() for code, facts in CALLER_CODES.items()}))',
    ];
    const { output } = await run(python, ['-c', lines.join('\n')]);
    expect(JSON.parse(output)).toEqual(CALLER_CODES);
  });

  it('passes strict type checks with its samples, and lets a type checker find faults in a program', async () => {
    const config = ['--config-file', join(CLIENT, 'pyproject.toml')];
    const options = ['--strict', '--cache-dir', join(folder.path, 'mypy'), ...config];
    const check = (...args: readonly string[]) => run(MYPY, [...options, ...args]);
    const good = { code: 0, output: expect.stringMatching(/^Success: no issues found/) };
    expect(await check(join(CLIENT, 'src'))).toEqual(good);
    const samples = folder.write('samples.py', SAMPLES);
    const readme = folder.write('readme.py', samplesOf('libs/caller-python/README.md'));
    expect(await check('--python-executable', python, samples)).toEqual(good);
    expect(await check('--python-executable', python, readme)).toEqual(good);
    const test = folder.write('typed_test.py', PYTEST_SAMPLE);
    expect(await check('--python-executable', python, test)).toEqual(good);
    const { output } = await check('--python-executable', python, folder.write('typed.py', TYPED));
    const wrong = [...output.matchAll(/typed\.py:(\d+): error/g)].map(
      ([, line]) => TYPED.split('\n')[Number(line) - 1],
    );
    const names = wrong.map((line) => /\w+/.exec(line ?? '')?.[0]);
    expect(names.join()).toBe('wrong_member,wrong_value,wrong_option,wrong_code,wrong_amount');
  });
});
