import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { startBroker } from '../../../scripts/broker/start-broker.ts';
import { compile } from '../../../scripts/build/bundle.ts';
import { freePorts } from '../../../scripts/network.ts';
import { ServiceProcess } from '../../../scripts/processes/service-process.ts';
import { root } from '../../../scripts/root.ts';

const SECRET_KEY = 'bench-secret-key';
const TIMEOUT_MS = 20_000;

/** Those in `platform`. */
export type PlatformProgram = 'main' | 'reports';

export interface BenchPlatform extends AsyncDisposable {
  readonly process: ServiceProcess;
  /** What points a worker here. */
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * @param latencyMs how long it takes to answer
 * @param program default: the one that knows sessions alone, and checks their signatures
 * @param records of each report, if that is `reports`
 */
export async function startPlatform(
  workplace: Workplace,
  latencyMs: number,
  program: PlatformProgram = 'main',
  records = 0,
): Promise<BenchPlatform> {
  const [port = 0] = await freePorts(1);
  const variables = {
    PORT: String(port),
    LATENCY_MS: String(latencyMs),
    REPORT_RECORDS: String(records),
    SECRET_KEY,
  };
  const process = new ServiceProcess({
    args: [fileURLToPath(new URL(`../platform/${program}.ts`, import.meta.url))],
    variables,
    log: workplace.log('platform'),
    // It is there from the first to the last: what belongs to the run goes with it.
    folder: workplace.folder,
  });
  const origin = `http://127.0.0.1:${port}`;
  const listens = (): Promise<boolean> =>
    fetch(origin, { method: 'HEAD' }).then(
      () => true,
      () => false,
    );
  await process.until('listen', listens, TIMEOUT_MS);
  return {
    process,
    variables: {
      PLATFORM_BASE_URL: `${origin}/api/web`,
      PLATFORM_API_URL: origin,
      PLATFORM_CLIENT_ID: 'bench',
      PLATFORM_SECRET_KEY: SECRET_KEY,
    },
    [Symbol.asyncDispose]: () => process[Symbol.asyncDispose](),
  };
}

const PEERS = 'test/bench/peers';

/** Which code of ours is run: that of this repository, or of another checkout beside it. */
export type Version = 'this' | 'other';

/** A folder of one run of the bench, within the repository so that packages are found from it. */
export interface Workplace extends Disposable {
  readonly folder: string;
  /** A compiled program of `test/bench/peers`. */
  peer(name: string): string;
  /** What holds the built worker, as it was when the run began. */
  folderOf(version: Version): string;
  /** The file for the output of a process. */
  log(name: string): string;
}

/**
 * Compiles the peers, and copies what is built: a run measures one version, whatever is built
 * meanwhile.
 *
 * @param other the folder of another checkout, built; it runs with the packages of this one
 */
export async function createWorkplace(other?: string): Promise<Workplace> {
  mkdirSync(join(root, '.run'), { recursive: true });
  const folder = mkdtempSync(join(root, '.run', 'bench-'));
  const versions: Record<Version, string> = { this: folder, other: join(folder, 'other') };
  copyBuilt(root, versions.this);
  if (other !== undefined) copyBuilt(other, versions.other);
  await compilePeers(join(folder, 'peers'));
  return {
    folder,
    peer: (name) => join(folder, 'peers', `${name}.js`),
    folderOf: (version) => versions[version],
    log: (name) => join(folder, `${name}.log`),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** With what makes package imports lead to the copy. */
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

async function compilePeers(folder: string): Promise<void> {
  mkdirSync(folder);
  for (const name of readdirSync(join(root, PEERS))) {
    const { code } = await compile(root, `${PEERS}/${name}`);
    writeFileSync(join(folder, name.replace(/ts$/, 'js')), code);
  }
}

export interface StageOptions {
  /** How long the platform takes to answer. Default: 20 ms. */
  readonly latencyMs?: number;
  /** Commands that a worker has in flight at most. Default: 100. */
  readonly prefetch?: number;
  /** The folder of another checkout, built, that is measured beside this one. */
  readonly other?: string;
}

/** Everything around the workers that are measured: a private broker, a platform, and a place for files. */
export interface Stage extends AsyncDisposable {
  readonly workplace: Workplace;
  readonly amqpUrl: string;
  /** What points a worker to the platform. */
  readonly platform: Readonly<Record<string, string>>;
  readonly prefetch: number;
  readonly pids: { readonly broker: number; readonly platform: number };
  /** For example `3.10.8`. */
  readonly brokerVersion: string;
}

export async function openStage({
  latencyMs = 20,
  prefetch = 100,
  other,
}: StageOptions = {}): Promise<Stage> {
  await using parts = new AsyncDisposableStack();
  const workplace = parts.use(await createWorkplace(other));
  const broker = parts.use(await startBroker());
  const platform = parts.use(await startPlatform(workplace, latencyMs));
  const facts = await broker.ctl('eval', '{os:getpid(), rabbit_misc:version()}.');
  const [, pid, brokerVersion = ''] = /"(\d+)",\s*"([^"]+)"/.exec(facts) ?? [];
  const kept = parts.move();
  return {
    workplace,
    amqpUrl: broker.url,
    platform: platform.variables,
    prefetch,
    pids: { broker: Number(pid), platform: platform.process.pid },
    brokerVersion,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
