import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startBroker } from '../../scripts/broker/start-broker.ts';
import { compile } from '../../scripts/build/bundle.ts';
import { freePorts, isListening } from '../../scripts/network.ts';
import { GuardedCommand } from '../../scripts/processes/guarded-command.ts';
import { Program } from '../../scripts/processes/program.ts';
import { root } from '../../scripts/root.ts';

const SECRET_KEY = 'bench-secret-key';
const PEERS = 'test/bench/peers';

/** Which code of ours is run: that of this repository, or of another checkout beside it. */
export type Version = 'this' | 'other';

/** A folder of one run of the bench, within the repository so that packages are found from it. */
export interface Workplace extends AsyncDisposable {
  /** A compiled program of `test/bench/peers`. */
  peer(name: string): string;
  /** What holds the built worker, as it was when the run began. */
  folderOf(version: Version): string;
}

/**
 * Compiles the peers, and copies what is built: a run measures one version, whatever is built meanwhile.
 *
 * @param other the folder of another checkout, built; it runs with the packages of this one
 */
export async function createWorkplace(other?: string): Promise<Workplace> {
  mkdirSync(join(root, '.run'), { recursive: true });
  const folder = mkdtempSync(join(root, '.run', 'bench-'));
  // The folder goes with this process, whichever way that ends.
  const guard = new GuardedCommand('sleep', ['infinity'], { output: 'ignore', folder });
  const versions: Record<Version, string> = { this: folder, other: join(folder, 'other') };
  copyBuilt(root, versions.this);
  if (other !== undefined) copyBuilt(other, versions.other);
  const peers = join(folder, 'peers');
  mkdirSync(peers);
  for (const name of readdirSync(join(root, PEERS))) {
    const { code } = await compile(root, `${PEERS}/${name}`);
    writeFileSync(join(peers, name.replace(/ts$/, 'js')), code);
  }
  return {
    peer: (name) => join(peers, `${name}.js`),
    folderOf: (version) => versions[version],
    [Symbol.asyncDispose]: () => guard.end(),
  };
}

/** Copies what is built; its package.json makes package imports lead to the copy. */
function copyBuilt(from: string, to: string): void {
  // A temporary file belongs to a concurrent build, and may be gone in a moment.
  const filter = (path: string): boolean => !path.endsWith('.tmp');
  cpSync(join(from, 'dist'), join(to, 'dist'), { recursive: true, filter });
  const { type, imports } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  writeFileSync(join(to, 'package.json'), JSON.stringify({ type, imports }));
}

export interface BenchPlatform extends AsyncDisposable {
  readonly pid: number;
  /** What points a worker here. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * @param latencyMs how long it takes to answer
 * @param records of each report; default: none
 */
export async function startPlatform(latencyMs: number, records = 0): Promise<BenchPlatform> {
  const [port = 0] = await freePorts(1);
  const platform = new Program(
    process.execPath,
    [fileURLToPath(new URL('platform/main.ts', import.meta.url))],
    { PORT: String(port), LATENCY_MS: String(latencyMs), REPORT_RECORDS: String(records), SECRET_KEY },
  );
  const origin = `http://127.0.0.1:${port}`;
  await platform.until('listen', () => isListening(port));
  return {
    pid: platform.pid,
    variables: {
      PLATFORM_BASE_URL: `${origin}/api/web`,
      PLATFORM_API_URL: origin,
      PLATFORM_CLIENT_ID: 'bench',
      PLATFORM_SECRET_KEY: SECRET_KEY,
    },
    [Symbol.asyncDispose]: () => platform[Symbol.asyncDispose](),
  };
}

/** What a worker that is measured is given. */
export interface Surroundings {
  readonly workplace: Workplace;
  readonly amqpUrl: string;
  /** What points a worker to the platform. */
  readonly platform: Readonly<Record<string, string>>;
  /** Commands that a worker has in flight at most. */
  readonly prefetch: number;
}

/** Everything around the workers that are measured: a private broker, a platform, and a place for files. */
export interface Stage extends Surroundings, AsyncDisposable {
  readonly pids: { readonly broker: number; readonly platform: number };
  readonly brokerVersion: string;
}

/** How long the platform takes to answer. */
export const PLATFORM_MS = 20;

/** @param other the folder of another checkout, built, that is measured beside this one */
export async function openStage(prefetch: number, other?: string): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const workplace = parts.use(await createWorkplace(other));
  const broker = parts.use(await startBroker());
  const platform = parts.use(await startPlatform(PLATFORM_MS));
  const kept = parts.move();
  return {
    workplace,
    amqpUrl: broker.url,
    platform: platform.variables,
    prefetch,
    pids: {
      broker: Number(await broker.ctl('eval', 'list_to_integer(os:getpid()).')),
      platform: platform.pid,
    },
    brokerVersion: broker.node.installation.version,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
