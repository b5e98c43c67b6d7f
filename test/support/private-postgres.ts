import { chmodSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import spawn from 'nano-spawn';

import { unpackPackage } from '../../scripts/debian.ts';
import { freePorts } from '../../scripts/network.ts';
import { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';
import { temporaryFolder } from './temporary-folder.ts';

const SUITE = 'bookworm';
/** PostgreSQL refuses to run as root. */
const AS_NOBODY =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];

/**
 * Starts a PostgreSQL server, installed or from Debian's packages, on a free loopback port; disposing of it
 * stops it.
 */
export async function startPostgres() {
  await using stack = new AsyncDisposableStack();
  const bin = await binaries();
  const folder = stack.use(temporaryFolder());
  chmodSync(folder.path, 0o777);
  const data = join(folder.path, 'data');
  const [command = '', ...args] = AS_NOBODY;
  const initialize = [join(bin, 'initdb'), '--pgdata', data, '--auth=trust', '--username=test', '--no-sync'];
  await spawn(command, [...args, ...initialize], { cwd: folder.path });
  const [port = 0] = await freePorts(1);
  const options = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', `port=${port}`];
  const serve = [join(bin, 'postgres'), '-D', data, ...options.flatMap((option) => ['-c', option])];
  const server = stack.use(new Program(command, [...args, ...serve]));
  await server.until('accept connections', () => server.stderr.includes('ready to accept connections'));
  const stop = stack.move();
  return {
    url: `postgres://test@127.0.0.1:${port}/postgres`,
    [Symbol.asyncDispose]: () => stop.disposeAsync(),
  };
}

/** Returns the folder of `initdb` and `postgres`: the installed one, or Debian's, unpacked into `.run`. */
async function binaries(): Promise<string> {
  const folder = join(root, '.run', 'postgresql');
  const find = () =>
    ['/', `${folder}/`].flatMap((base) => globSync(`${base}usr/lib/postgresql/*/bin/initdb`));
  if (find().length === 0) {
    mkdirSync(folder, { recursive: true });
    await unpackPackage('postgresql', SUITE, folder);
  }
  const [initdb] = find();
  if (initdb === undefined) throw new Error(`Debian ${SUITE} brings no PostgreSQL`);
  return dirname(initdb);
}
