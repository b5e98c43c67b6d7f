import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startSandboxProcess } from '../../support/sandbox-process.ts';
import { digest, signFlat, startSandboxUnderTest } from './sandbox-under-test.ts';

describe('the archive', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sandbox-'));
    file = join(folder, 'sandbox.db');
  });
  afterEach(async () => rm(folder, { recursive: true }));

  const game = {
    session: { id: 's-1', launchOptions: { big: 1 } },
    player: { id: 'ada', nick: 'Ace', avatar: 7 },
  };
  const canonical = 'sandbox7adaAces-11OpenGame';

  it('keeps players, nicknames and sessions over a restart', async () => {
    const open = async () => {
      await using sandbox = await startSandboxUnderTest({ SANDBOX_FILE: file });
      const { data } = (await sandbox.openGame(game, canonical)).json;
      const { json } = await sandbox.control('GET', 'players/ada');
      const taken = await sandbox.session('bob', { nick: 'ACE' });
      return { auth: data.attributes.auth, player: json, taken: taken.status };
    };
    const before = await open();
    expect(before).toMatchObject({ player: { nick: 'Ace', profile: { avatar: 7 } }, taken: 422 });
    expect(await open()).toEqual(before);
  });

  it('keeps them even if the process is killed', async () => {
    {
      await using sandbox = await startSandboxProcess({ SANDBOX_FILE: file });
      const response = await fetch(`${await sandbox.url}/api/web/v2/app/users/ada/session?clientId=sandbox`, {
        method: 'POST',
        headers: { sign: signFlat({ userId: 'ada', nick: 'Ace' }) },
        body: new URLSearchParams({ userId: 'ada', nick: 'Ace' }),
      });
      expect(response.status).toBe(200);
      sandbox.kill('SIGKILL');
      await sandbox.exited;
    }
    await using sandbox = await startSandboxUnderTest({
      SANDBOX_FILE: file,
      SANDBOX_UNKNOWN_PLAYERS: 'refuse',
    });
    expect((await sandbox.session('ada')).status).toBe(200);
    expect((await sandbox.session('bob')).status).toBe(404);
  });

  it('keeps the digits of large integers', async () => {
    const digits = '12345678901234567890';
    const send = async () => {
      await using sandbox = await startSandboxUnderTest(
        { SANDBOX_FILE: file, SANDBOX_SIGNATURE_SCHEME_V3: 'raw-body' },
        {},
      );
      const body = `{"data":{"type":"OpenGame","attributes":{"player":{"id":"ada","points":${digits}}}}}`;
      await sandbox.send({
        method: 'POST',
        path: '/apiweb/v3/open-game?client=sandbox',
        headers: {
          'content-type': 'application/vnd.api+json',
          sign: digest(body),
        },
        body,
      });
      return (await sandbox.control('GET', 'players/ada')).text;
    };
    expect(await send()).toContain(digits);
    await using sandbox = await startSandboxUnderTest({ SANDBOX_FILE: file });
    expect((await sandbox.control('GET', 'players/ada')).text).toContain(digits);
  });

  it('is empty after a reset, and forgets sessions that have expired', async () => {
    {
      await using sandbox = await startSandboxUnderTest({ SANDBOX_FILE: file });
      await sandbox.session('ada', { nick: 'Ace' });
      await sandbox.control('POST', 'reset');
    }
    {
      await using sandbox = await startSandboxUnderTest({
        SANDBOX_FILE: file,
        SANDBOX_SESSION_LIFETIME_MS: '1',
      });
      expect((await sandbox.control('GET', 'players')).json.count).toBe(0);
      await sandbox.session('bob', { nick: 'Ace' });
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    {
      await using sandbox = await startSandboxUnderTest({ SANDBOX_FILE: file });
      await sandbox.session('eve');
    }
    const database = new DatabaseSync(file);
    expect(database.prepare('SELECT count(*) AS sessions FROM session').get()).toEqual({ sessions: 1 });
    database.close();
  });

  it('belongs to one sandbox at a time', async () => {
    await using first = await startSandboxProcess({ SANDBOX_FILE: file });
    await first.url;
    await using second = await startSandboxProcess({ SANDBOX_FILE: file });
    expect(await second.result).toEqual({
      code: 78,
      signal: null,
      stdout: '',
      stderr: 'sandbox: SANDBOX_FILE: names a file that is in use, perhaps by another sandbox\n',
    });
    first.kill('SIGTERM');
    expect((await first.exited).code).toBe(0);
    await using third = await startSandboxProcess({ SANDBOX_FILE: file });
    await third.url;
  });

  it('does not touch a file that is something else', async () => {
    await writeFile(file, 'a text, and no database, whoever may have written it here. '.repeat(20));
    await expect(startSandboxUnderTest({ SANDBOX_FILE: file })).rejects.toThrow(
      /^SANDBOX_FILE: names a file that cannot be used/,
    );
    const other = join(folder, 'other.db');
    new DatabaseSync(other).exec('CREATE TABLE precious (a)');
    await expect(startSandboxUnderTest({ SANDBOX_FILE: other })).rejects.toThrow(
      'is not a file of this version of the sandbox',
    );
    await expect(startSandboxUnderTest({ SANDBOX_FILE: join(folder, 'no/such') })).rejects.toThrow(
      'unable to open',
    );
  });

  it('is optional, and two sandboxes without one are independent', async () => {
    await using one = await startSandboxUnderTest();
    await using two = await startSandboxUnderTest();
    expect((await one.session('ada', { nick: 'Ace' })).status).toBe(200);
    expect((await two.session('bob', { nick: 'Ace' })).status).toBe(200);
  });
});
