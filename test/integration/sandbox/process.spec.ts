import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { FAULTS } from '../../../apps/sandbox/src/faults/faults.ts';
import { readSettings } from '../../../apps/sandbox/src/settings/settings.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { SandboxClient, signFlat } from '../../support/sandbox-client.ts';
import { folderForAll } from '../../support/suite-service.ts';
import { startSandboxUnderTest } from './sandbox-under-test.ts';

describe('the sandbox as a process', () => {
  const folder = folderForAll();

  const createSession = (url: string, clientId: string, secret: string) =>
    fetch(`${url}/api/web/v2/app/users/ada/session?clientId=${clientId}`, {
      method: 'POST',
      headers: { sign: signFlat({ userId: 'ada' }, secret) },
      body: new URLSearchParams({ userId: 'ada' }),
    }).then(({ status }) => status);

  it('prints its address in one line, and exits with 0 on a signal', async () => {
    await using sandbox = new SandboxProcess();
    const url = await sandbox.url;
    expect(await (await fetch(`${url}/sandbox/health`)).json()).toEqual({ status: 'ok' });
    sandbox.kill('SIGTERM');
    const stdout = `sandbox listening on ${url}\n`;
    expect(await sandbox.result).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  const outcomes = Object.entries({ 700: 200, 60_000: 'cut off' });
  it.each(outcomes)('on a signal, ends a request of %s ms with %s, and exits', async (latencyMs, outcome) => {
    await using sandbox = new SandboxProcess({ SANDBOX_LATENCY_MS: latencyMs });
    const url = await sandbox.url;
    const ended = createSession(url, 'sandbox', 'sandbox-secret-key').catch(() => 'cut off');
    while ((await new SandboxClient(url).received('session')) === 0);
    sandbox.kill('SIGINT');
    expect(await ended).toBe(outcome);
    // and does not wait for the keep-alive connection to time out
    const answeredAt = performance.now();
    expect((await sandbox.exited).code).toBe(0);
    expect(performance.now() - answeredAt).toBeLessThan(3000);
  });

  it('reads secrets and additional clients from files', async () => {
    const clients = {
      op2: { secretKeyFile: folder.write('secret-2', 'second secret') },
      op3: { secretKey: 'third', operations: ['rake'] },
      op4: { settings: { SIGNATURE_SCALARS: 'json' } },
    };
    await using sandbox = new SandboxProcess({
      SANDBOX_CLIENT_ID: 'op1',
      SANDBOX_SECRET_KEY_FILE: folder.write('secret', 'first secret\n'),
      SANDBOX_CLIENTS_FILE: folder.write('clients.json', JSON.stringify(clients)),
    });
    const url = await sandbox.url;
    for (const [id, secret, status] of [
      ['op1', 'first secret', 200],
      ['op2', 'second secret', 200],
      ['op2', 'first secret', 400],
      ['op3', 'third', 403],
      ['op4', '', 400],
    ] as const)
      expect([id, await createSession(url, id, secret)]).toEqual([id, status]);
    const unsigned = await fetch(`${url}/apiweb/v3/open-game?client=op4`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'OpenGame', attributes: { player: { id: 'ada' } } } }),
    });
    expect(unsigned.status).toBe(200);
  });

  it('exits with 78 on invalid settings, and prints variables and reasons, never values', async () => {
    await using sandbox = new SandboxProcess({
      SANDBOX_PORT: 'hush-1',
      SANDBOX_SECRET_KEY_FILE: join(folder.path, 'hush-2'),
    });
    const faults = [
      'sandbox: SANDBOX_PORT: must be an integer from 0 to 65535\n',
      'sandbox: SANDBOX_SECRET_KEY_FILE: the file cannot be read (ENOENT)\n',
    ];
    expect(await sandbox.result).toMatchObject({ code: 78, stdout: '', stderr: faults.join('') });
  });

  it.each([
    ['{"op2": {"secretKey": "hush"', 'is not JSON'],
    [{ sandbox: {} }, '"sandbox" is the client of SANDBOX_CLIENT_ID'],
    [{ op2: 'hush' }, '"op2" must be an object'],
    [{ op2: { secret: 'hush' } }, '"op2" has an unknown member "secret"'],
    [{ op2: { secretKey: '' } }, '"op2": secretKey must be a string that is not empty'],
    [{ op2: { settings: { COLOUR: 'hush' } } }, '"op2": settings has an unknown member "COLOUR"'],
    [
      { op2: { settings: { SIGNATURE_SCALARS: 'hush' } } },
      '"op2": SIGNATURE_SCALARS must be one of php, json',
    ],
    [{ op2: { operations: ['hush'] } }, '"op2": operations must be a list of session, '],
  ])('refuses the clients file %j, and quotes no value of it', (content, reason) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    const file = folder.write('wrong.json', text);
    const read = () => readSettings({ SANDBOX_CLIENTS_FILE: file });
    expect(read).toThrow(`SANDBOX_CLIENTS_FILE: ${reason}`);
    expect(read).not.toThrow(/hush/);
  });

  it.each([
    ['SANDBOX_PORT', '65536', 'must be an integer from 0 to 65535'],
    ['SANDBOX_UNKNOWN_PLAYERS', 'ignore', 'must be one of create, refuse'],
    ['SANDBOX_PUBLIC_URL', 'https://play.example/path', 'must be an http or https address without a path'],
    ['SANDBOX_CURRENCIES', 'usd', 'must be upper-case codes, separated by commas'],
    ['SANDBOX_CURRENCIES', 'USD,USD', 'must not name one thing twice'],
    ['SANDBOX_INACTIVE_CURRENCIES', 'USD', 'names a currency of SANDBOX_CURRENCIES'],
  ])('refuses %s=%s', (name, value, reason) => {
    expect(() => readSettings({ [name]: value })).toThrow(`${name}: ${reason}`);
  });

  it('reports that its port is taken', async () => {
    await using first = new SandboxProcess();
    const { port } = new URL(await first.url);
    await using second = new SandboxProcess({ SANDBOX_PORT: port });
    const { code, stderr } = await second.result;
    expect(code).toBe(1);
    expect(stderr).toContain('EADDRINUSE');
  });
});

const page = readFileSync(new URL('../../../docs/sandbox.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, found]) => found!);

function documentedDefaults(): Record<string, string> {
  const defaults: Record<string, string> = {};
  for (const [, names, cell] of section('Settings').matchAll(/^\| (`SANDBOX_[^|]+)\| ([^|]+?) *\|/gm)) {
    const variables = matches(names!, /`(\w+)`/g);
    const values = variables.length > 1 ? cell!.split(', ') : [cell!];
    for (const [index, name] of variables.entries()) {
      const value = values[index]!.replaceAll('`', '');
      defaults[name] = /^(none|where .*)$/.test(value) ? '' : value;
    }
  }
  return defaults;
}

describe('docs/sandbox.md', () => {
  it('lists every variable with its default', () => {
    const read = new Set<string>();
    const unset = readSettings(new Proxy({}, { get: (_, name) => void read.add(String(name)) }));
    expect(Object.keys(documentedDefaults()).toSorted()).toEqual([...read].toSorted());
    expect(readSettings(documentedDefaults())).toEqual(unset);
  });

  it('lists every kind of fault, and no other', () => {
    expect(matches(section('Faults'), /^\| `([a-z-]+)`/gm).toSorted()).toEqual(
      Object.keys(FAULTS).toSorted(),
    );
  });

  it('lists only existing requests of the control API', async () => {
    await using sandbox = await startSandboxUnderTest();
    const requests = matches(section('Control'), /`([A-Z]+ \/sandbox\/[^`]+)`/g);
    expect(requests).toHaveLength(13);
    for (const request of requests) {
      const [method, path] = request.split(' /sandbox/') as [string, string];
      const received = await sandbox.control(method, path.replace(/\{\w+\}/, '1'));
      expect(received.status).toBeLessThan(500);
      // a missing resource and a missing route differ in the text of the 404
      if (received.status === 404) expect(received.json.detail).not.toMatch(/^Cannot /);
    }
  });
});
