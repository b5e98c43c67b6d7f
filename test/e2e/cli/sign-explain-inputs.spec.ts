import { createHash } from 'node:crypto';

import { beforeAll, describe, expect, it } from '@jest/globals';

import { build } from '../../../scripts/build/build.ts';
import { root } from '../../../scripts/root.ts';
import { runCli } from './run-cli.ts';

const signOf = (canonical: string): string =>
  createHash('sha256').update(`${canonical}hush-hush`).digest('hex');

beforeAll(async () => void (await build(root)));

describe('poker-bridge sign explain', () => {
  it('explains a curl line and a request with the secret and the settings of the worker', async () => {
    const variables = { PLATFORM_SECRET_KEY: 'hush-hush', SIGNATURE_SCALARS: 'json' };
    const url = 'https://api.example/v2/app/users/u-1/session?clientId=op1';
    const line = (sign: string): string => `curl '${url}' -H 'sign: ${sign}' -d userId=u-1 -d nick=Ace`;
    const right = await runCli(['sign', 'explain', '--curl', line(signOf('Aceu-1'))], { variables });
    expect([right.code, right.stdout]).toEqual([
      0,
      expect.stringContaining('the same as the sign that was given'),
    ]);
    const capitals = await runCli(['sign', 'explain', '--curl', '-'], {
      variables,
      input: line(signOf('Aceu-1').toUpperCase()),
    });
    expect([capitals.code, capitals.stdout]).toEqual([
      1,
      expect.stringContaining('The digest is written in capitals'),
    ]);
    const wrong = `POST ${new URL(url).pathname}?clientId=op1&page=2 HTTP/1.1\nsign: ${signOf('Aceu-1op12')}\n\nnick=Ace&userId=u-1`;
    const raw = await runCli(['sign', 'explain', '-', '--json'], { variables, input: wrong });
    expect([raw.code, JSON.parse(raw.stdout)]).toMatchObject([
      1,
      { canonical: 'Aceu-1', sign: signOf('Aceu-1') },
    ]);
    for (const { stdout, stderr } of [right, capitals, raw]) expect(stdout + stderr).not.toContain('hush');
  });

  it('explains how a worker signs a command', async () => {
    const variables = {
      PLATFORM_SECRET_KEY: 'hush-hush',
      PLATFORM_CLIENT_ID: 'op1',
      SIGNATURE_OPEN_GAME_CLIENT: 'drop',
    };
    const args = ['sign', 'explain', '--command', 'game.open', '--data', '{"player":{"id":"u-1"}}'];
    const { code, stdout } = await runCli(args, { variables });
    expect([code, stdout]).toEqual([0, expect.stringContaining(`    ${signOf('u-1OpenGame')}\n`)]);
    expect(stdout).toContain('SESSION_ID=derive');
    const unset = await runCli(args);
    expect([unset.code, unset.stderr]).toEqual([78, 'PLATFORM_CLIENT_ID: is required\n']);
  });

  it('shows the strings instead of digests if there is no secret', async () => {
    const { code, stdout } = await runCli(['sign', 'explain', '-'], {
      input: '{"parameters":{"b":"x y","a":"1"}}',
    });
    expect(code).toBe(0);
    expect(stdout).toContain('    none: a digest needs the secret\n');
    expect(stdout).toMatch(/in the order of the request +x y1\n/);
  });
});
