import { join } from 'node:path';

import { beforeAll, describe, expect, it, jest } from '@jest/globals';

import { installMissing } from '../../../scripts/debian.ts';
import { freePorts } from '../../../scripts/network.ts';
import { Program } from '../../../scripts/processes/program.ts';
import { sandboxedForAll } from '../../e2e/commands/sandboxed-service.ts';
import { installPythonClient } from '../../support/python-client.ts';
import { folderForAll } from '../../support/suite-service.ts';

const UWSGI = '/usr/bin/uwsgi_python3';
/** An application with a caller that is made when its file is loaded. */
const APPLICATION = `import os
from poker_bridge import Caller

caller = Caller(os.environ["AMQP_URL"], "uwsgi-shop", prefix=os.environ["AMQP_PREFIX"])


def application(environ, start_response):
    session = caller.create_session({"userId": "alice"})
    start_response("200 OK", [])
    return [session["userId"].encode()]
`;

jest.setTimeout(300_000);

describe('a caller in uWSGI', () => {
  const folder = folderForAll();
  const sandboxed = sandboxedForAll();
  beforeAll(async () => {
    await installMissing({ 'uwsgi-plugin-python3': UWSGI });
    await installPythonClient(folder.path);
  });

  const start = async (...options: string[]) => {
    const { url, prefix } = sandboxed.service;
    const [port = 0] = await freePorts(1);
    const file = folder.write('application.py', APPLICATION);
    const address = `127.0.0.1:${port}`;
    const always = ['--master', '--enable-threads', '--need-app', '--die-on-term', '--processes', '2'];
    const places = ['--http-socket', address, '--virtualenv', join(folder.path, 'environment')];
    const args = [...always, ...places, '--wsgi-file', file, ...options];
    const program = new Program(UWSGI, args, { AMQP_URL: url, AMQP_PREFIX: prefix });
    return { program, origin: `http://${address}` };
  };

  it('is refused before the fork with advice, because a worker might hang', async () => {
    await using program = (await start()).program;
    const { code, stdout, stderr } = await program.result;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("make one in each process, with uWSGI's lazy-apps or @postfork");
  });

  it('serves every worker process if each loads the application itself', async () => {
    const { program, origin } = await start('--lazy-apps');
    await using _program = program;
    const answer = async () => (await fetch(origin, { headers: { connection: 'close' } })).text();
    await program.until('answer', () => answer().catch(() => undefined));
    for (let request = 0; request < 10; request += 1) expect(await answer()).toBe('alice');
  });
});
