import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { FAULTS } from '../../../apps/sandbox/src/faults/faults.ts';
import { SandboxProcess } from '../../../scripts/processes/sandbox-process.ts';
import { signFlat, startSandboxUnderTest } from './sandbox-under-test.ts';

describe('the sandbox as a process', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
  });

  afterAll(async () => rm(folder, { recursive: true }));

  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const createSession = (url: string, clientId: string, secret: string) =>
    fetch(`${url}/api/web/v2/app/users/ada/session?clientId=${clientId}`, {
      method: 'POST',
      headers: { sign: signFlat({ userId: 'ada' }, secret) },
      body: new URLSearchParams({ userId: 'ada' }),
    });

  it('prints its address in one line, and exits with 0 on a signal', async () => {
    await using sandbox = new SandboxProcess();
    const url = await sandbox.url;
    expect((await fetch(`${url}/sandbox/health`)).status).toBe(200);
    sandbox.kill('SIGTERM');
    expect(await sandbox.result).toEqual({
      code: 0,
      signal: null,
      stdout: `sandbox listening on ${url}\n`,
      stderr: '',
    });
  });

  it('finishes the requests in flight before it exits', async () => {
    await using sandbox = new SandboxProcess({ SANDBOX_LATENCY_MS: '700' });
    const url = await sandbox.url;
    const session = createSession(url, 'sandbox', 'sandbox-secret-key');
    const received = async () =>
      (await (await fetch(`${url}/sandbox/counters`)).text()).includes('"session":{"received":1,');
    while (!(await received())) await new Promise((resolve) => setTimeout(resolve, 10));
    sandbox.kill('SIGINT');
    expect((await session).status).toBe(200);
    // and does not wait for the keep-alive connection to time out
    const answeredAt = performance.now();
    expect((await sandbox.exited).code).toBe(0);
    expect(performance.now() - answeredAt).toBeLessThan(3000);
  });

  it('reads secrets and further clients from files', async () => {
    await using sandbox = new SandboxProcess({
      SANDBOX_CLIENT_ID: 'op1',
      SANDBOX_SECRET_KEY_FILE: await write('secret', 'first secret\n'),
      SANDBOX_CLIENTS_FILE: await write(
        'clients.json',
        JSON.stringify({
          op2: { secretKeyFile: await write('secret-2', 'second secret') },
          op3: { secretKey: 'third', operations: ['rake'] },
          op4: { settings: { SIGNATURE_SCALARS: 'json' } },
        }),
      ),
    });
    const url = await sandbox.url;
    expect((await createSession(url, 'op1', 'first secret')).status).toBe(200);
    expect((await createSession(url, 'op2', 'second secret')).status).toBe(200);
    expect((await createSession(url, 'op2', 'first secret')).status).toBe(400);
    expect((await createSession(url, 'op3', 'third')).status).toBe(403);
    expect((await createSession(url, 'op4', '')).status).toBe(400);
  });

  it('ends with 78 on wrong settings, and names variables and reasons, never values', async () => {
    await using sandbox = new SandboxProcess({
      SANDBOX_PORT: 'hush-1',
      SANDBOX_SECRET_KEY_FILE: join(folder, 'hush-2'),
      SANDBOX_CLIENTS_FILE: await write(
        'wrong.json',
        JSON.stringify({
          sandbox: {},
          op2: { secretKey: '', settings: { SIGNATURE_SCALARS: 'hush-3', COLOUR: 'red' }, secret: 'hush-4' },
          op3: { operations: ['hush-5'] },
          op4: 'hush-6',
        }),
      ),
    });
    const { code, stdout, stderr } = await sandbox.result;
    expect([code, stdout]).toEqual([78, '']);
    expect(stderr.trim().split('\n').sort()).toEqual([
      'sandbox: SANDBOX_CLIENTS_FILE: /op2/secret is not known',
      'sandbox: SANDBOX_CLIENTS_FILE: /op2/secretKey must be a string',
      'sandbox: SANDBOX_CLIENTS_FILE: /op2/settings/COLOUR is not known',
      'sandbox: SANDBOX_CLIENTS_FILE: /op2: SIGNATURE_SCALARS: must be one of php, json',
      'sandbox: SANDBOX_CLIENTS_FILE: /op3/operations must be a list of session, open-game, ad-hoc-report, rake',
      'sandbox: SANDBOX_CLIENTS_FILE: /op4 must be an object',
      'sandbox: SANDBOX_CLIENTS_FILE: /sandbox is the client of SANDBOX_CLIENT_ID',
      'sandbox: SANDBOX_PORT: must be an integer from 0 to 65535',
      'sandbox: SANDBOX_SECRET_KEY_FILE: names a file that cannot be read (ENOENT)',
    ]);
  });

  it('does not quote a clients file that is not JSON', async () => {
    const file = await write('broken.json', '{"op2": {"secretKey": "hush"');
    await using sandbox = new SandboxProcess({ SANDBOX_CLIENTS_FILE: file });
    const { code, stderr } = await sandbox.result;
    expect(code).toBe(78);
    expect(stderr).toBe('sandbox: SANDBOX_CLIENTS_FILE: must name a file that holds a JSON object\n');
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

const root = fileURLToPath(new URL('../../..', import.meta.url));
const page = readFileSync(`${root}/docs/sandbox.md`, 'utf8');
const section = (title: string) => page.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
const sources = readdirSync(`${root}/apps/sandbox/src`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => readFileSync(`${root}/apps/sandbox/src/${name}`, 'utf8'))
  .join('\n');
const matches = (text: string, pattern: RegExp) =>
  [...new Set([...text.matchAll(pattern)].map(([, found]) => found))].sort();

describe('docs/sandbox.md', () => {
  it('lists every variable that the code reads, and no other', () => {
    const conventions = [
      'SIGNATURE_SCALARS',
      'SIGNATURE_OPEN_GAME_CLIENT',
      'SIGNATURE_JSON_STRINGS',
      'SIGNATURE_JSON_PLACEMENT',
      'SIGNATURE_EXCLUDE',
      'SIGNATURE_SCHEME_V3',
      'RAKE_PARAMETERS_IN',
      'PLAYER_COUNTRY_MEMBER',
    ].map((name) => `SANDBOX_${name}`);
    const read = matches(sources, /'(SANDBOX_\w+[A-Z])'/g);
    const listed = matches(section('Settings'), /`(SANDBOX_\w+)`/g);
    expect(listed).toEqual([...new Set([...read, ...conventions, 'SANDBOX_SECRET_KEY_FILE'])].sort());
  });

  it('lists every kind of fault, and no other', () => {
    expect(matches(section('Faults'), /^\| `([a-z-]+)`/gm)).toEqual(Object.keys(FAULTS).sort());
  });

  it('lists requests of the control API that there are', async () => {
    await using sandbox = await startSandboxUnderTest();
    const requests = matches(section('Control'), /`([A-Z]+ \/sandbox\/[^`]+)`/g);
    expect(requests).toHaveLength(13);
    for (const request of requests as string[]) {
      const [method, path] = request.split(' /sandbox/') as [string, string];
      const received = await sandbox.control(method, path.replace(/\{\w+\}/, '1'));
      expect(received.status).toBeLessThan(500);
      // the 404 of a missing resource has another text than that of a missing route
      if (received.status === 404) expect(received.json.detail).not.toMatch(/^Cannot /);
    }
  });

  it('shows defaults that are those of the code', () => {
    const rows = section('Settings').matchAll(/^\| (`SANDBOX_[^|]+)\| ([^|]+) \|/gm);
    const documented = Object.fromEntries(
      [...rows].flatMap(([, names = '', values = '']) => {
        const defaults = values.includes('`,') || /^\d+, /.test(values) ? values.split(', ') : [values];
        return [...names.matchAll(/`(\w+)`/g)].map(([, name], index) => [
          name,
          (defaults[index] ?? values).replaceAll('`', '').trim(),
        ]);
      }),
    );
    expect(documented).toMatchObject({ SANDBOX_PORT: '3100', SANDBOX_CURRENCIES: 'USD,EUR,GBP' });
    const numbers = Object.entries(documented).filter(([, value]) => /^\d+$/.test(value as string));
    expect(numbers.length).toBeGreaterThan(8);
    for (const [name, value] of numbers) {
      const [, fallback] = new RegExp(`'${name}',\\s*([\\w.]+)`).exec(sources) ?? [];
      expect([name, fallback === 'HOUR_MS' ? '3600000' : fallback?.replaceAll('_', '')]).toEqual([
        name,
        value,
      ]);
    }
  });
});
