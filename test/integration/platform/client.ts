import { hash } from 'node:crypto';
import { createServer, type Socket } from 'node:net';

import { afterEach, beforeEach } from '@jest/globals';

import { type CommandData, CommandError, type CommandType, type ReportRecord } from '#contracts';
import {
  type AttemptResult,
  type CallContext,
  type CollectionPage,
  type OperatorCredentials,
  PlatformClient,
  type PlatformLimits,
  PlatformObserver,
  type PlatformSettings,
  type PlatformTransport,
  type RefusalReason,
} from '#platform';
import { Deadline, steadyClock } from '#resilience';
import { readOperators, readSettings } from '#settings';

import { platformAt } from '../../../scripts/processes/worker-process.ts';
import { listenOnLoopback } from '../../support/loopback-server.ts';
import { answers, type Behaviour, LocalPlatform } from './local-platform.ts';

const SECRET = 'test_secret_key';

export const LIMITS: PlatformLimits = {
  attemptTimeoutMs: 600_000,
  maxAttempts: 3,
  connections: 16,
  queue: 64,
  circuit: { failureRate: 50, minimumCalls: 1000, windowMs: 15_000, openMs: 300 },
};

export interface ClientOptions {
  /** Default: the origin of the test's platform. */
  readonly origin?: string;
  readonly limits?: Partial<PlatformLimits>;
  readonly settings?: Partial<PlatformSettings>;
  readonly credentials?: Partial<OperatorCredentials>;
  readonly transport?: PlatformTransport;
  /** Default: the monotonic clock. */
  readonly clock?: () => number;
}

export class RecordingObserver extends PlatformObserver {
  readonly results: AttemptResult[] = [];
  readonly circuitStates: string[] = [];
  readonly refusals: RefusalReason[] = [];
  waits = 0;
  retries = 0;
  signatureDoubts = 0;

  attemptEnded(_operation: string, result: AttemptResult): void {
    this.results.push(result);
  }

  admissionWaited(): void {
    this.waits += 1;
  }

  attemptRefused(_operation: string, reason: RefusalReason): void {
    this.refusals.push(reason);
  }

  signatureDoubted(): void {
    this.signatureDoubts += 1;
  }

  retried(): void {
    this.retries += 1;
  }

  circuitChanged(operator: string, operation: string, state: string): void {
    this.circuitStates.push(`${operator} ${operation} ${state}`);
  }
}

const open: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

export let platform: LocalPlatform;

beforeEach(async () => void (platform = await startPlatform()));

/** A platform, closed after the test. */
export async function startPlatform(otherwise: Behaviour = answers(404)): Promise<LocalPlatform> {
  const started = await LocalPlatform.start(otherwise);
  open.push(() => started[Symbol.asyncDispose]());
  return started;
}

/** Returns the origin of a server that accepts connections and is closed after the test. */
export async function listen(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onConnection(socket);
  });
  const port = await listenOnLoopback(server);
  open.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `https://localhost:${port}`;
}

export function operatorAt(
  origin: string,
  { settings, credentials }: Pick<ClientOptions, 'settings' | 'credentials'> = {},
): OperatorCredentials {
  const [operator] = readOperators(readSettings(platformAt(origin, 'op1', SECRET)));
  return { ...operator!, settings: { ...operator!.settings, ...settings }, ...credentials };
}

/** Returns a client that is closed after the test; delays between attempts have the shortest jitter. */
export function buildClient({
  origin = platform.origin,
  limits,
  transport = {},
  clock = steadyClock,
  ...operator
}: ClientOptions = {}) {
  const observer = new RecordingObserver();
  const client = new PlatformClient(operatorAt(origin, operator), {
    limits: { ...LIMITS, ...limits },
    transport,
    observer,
    clock,
    random: () => 0.01,
  });
  open.push(() => client.close());
  return { client, observer };
}

/** @param ms default: longer than any test */
export function callWithin(ms = 600_000): CallContext {
  return { deadline: new Deadline(Date.now() + ms), attempts: 0 };
}

const PERIOD = { dateFrom: '2026-01-30 00:00:00', dateTo: '2026-01-31 00:00:00' };

function caller<O extends CommandType>(operation: O, data: CommandData[O]) {
  return (client: PlatformClient, call = callWithin()) =>
    client.call(operation, data, call, { page: 1, perPage: 500 });
}

/** Calls each operation of the interface document with minimal data. */
export const CALLS = {
  'session.create': caller('session.create', { userId: 'u-1' }),
  'game.open': caller('game.open', { player: { id: 'u-1' }, session: { id: 's-1' } }),
  'report.ad-hoc.fetch': caller('report.ad-hoc.fetch', PERIOD),
  'report.rake.fetch': caller('report.rake.fetch', PERIOD),
};

export const createSession = CALLS['session.create'];

export type CalledOperation = keyof typeof CALLS;
export const OPERATIONS = Object.keys(CALLS) as readonly CalledOperation[];

export const digest = (canonical: string) => hash('sha256', canonical + SECRET);

export function recordsOf({ written }: CollectionPage): ReportRecord[] {
  return JSON.parse(`[${Buffer.concat(written).toString()}]`) as ReportRecord[];
}

export async function failureOf(call: Promise<unknown>): Promise<CommandError> {
  const [end] = await Promise.allSettled([call]);
  if (end.status === 'rejected' && end.reason instanceof CommandError) return end.reason;
  throw new Error('The call did not fail as a command does.', { cause: end });
}

/** Returns the code of a call's error, or `OK`. */
export function codeOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'OK',
    ({ code }) => String(code),
  );
}
