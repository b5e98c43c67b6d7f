import { randomUUID } from 'node:crypto';

import { busNames } from '#contracts';
import { topologyOf, workerPermissions } from '#messaging/operator';
import {
  OneShotConnection,
  BrokerError,
  countsOf,
  inspectPermissions,
  inspectTopology,
  permissionsLine,
  releaseOf,
  type Standing,
  takesMessageOf,
} from '#rabbitmq';
import { readSomeSettings } from '#settings';

import { counted } from '../output.ts';
import { type BusSettings, readBus } from '../servers.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

/** The default limit of RabbitMQ 4. Commands, replies and pages are smaller. */
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024;
const QUESTION_TIMEOUT_MS = 4_000;
const upToAMinute = Array.from({ length: 60 }, (_, index) => 1_000 * (index + 1));
/** Likely delays, including the default ones: a broker does not list its queues over AMQP. */
const LIKELY_DELAYS_MS = new Set([...upToAMinute, ...upToAMinute.map((delayMs) => 60 * delayMs)]);

const LIMIT_MESSAGES =
  'set max_message_size = 16777216 in rabbitmq.conf, so that no caller can fill the memory of workers';
const REFUSED = 'check user, password and virtual host in AMQP_URL (its path is the virtual host)';
const ADVICE: Readonly<Record<string, string>> = {
  unreachable:
    'check host and port in AMQP_URL, that the broker is running, and AMQP_TLS_CA, the authority of its certificate',
  blocked:
    'free memory or disk there, or raise vm_memory_high_watermark; until then, neither commands nor replies pass',
};
const FAULTS = {
  missing: [warn, 'is missing', 'start a worker, which declares it'],
  unknown: [warn, 'could not be inspected: ', 'retry; then check its node'],
  different: [
    fail,
    'exists with other properties: ',
    'empty and delete it, and start a worker, or choose another AMQP_PREFIX: no worker starts before',
  ],
} as const;
const LANE = /\.(interactive|reports|quarantine)$/;
const MAY_PAUSE = /\.reports$/;
const PAUSED =
  'workers pause this lane while the platform does not answer reports, and resume it by themselves: see the ' +
  'platform below. If it answers, no connected worker serves the lane: start one with reports in LANES';
const KEPT: readonly (readonly [RegExp, string, string])[] = [
  [
    LANE,
    'no worker consumes NAME, which holds',
    'start a worker that serves it (LANES), and check the logs of the running ones',
  ],
  [/\.dead-letters$/, 'NAME holds', 'poker-bridge dead-letters list counts them by reason'],
  [
    /\.undelivered$/,
    'NAME holds',
    'workers deliver them once their reply queue exists again; poker-bridge replies list shows the undeliverable ones',
  ],
];

/**
 * Checks the broker as a worker would find it. It changes nothing, and declares no queue.
 *
 * @throws SettingsError
 */
export async function checkBroker(): Promise<Finding[]> {
  const { REPORTS_RETRY_DELAYS_MS } = readSomeSettings(['REPORTS_RETRY_DELAYS_MS'], process.env);
  const bus = readBus();
  try {
    await using brief = await OneShotConnection.open(bus.urls, { name: 'poker-bridge client', tls: bus.tls });
    return await inspect(brief, bus, REPORTS_RETRY_DELAYS_MS).catch((error: unknown) => {
      throw brief.faultOf(error);
    });
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return [fail('broker', error.message, ADVICE[error.fault] ?? REFUSED)];
  }
}

async function inspect(
  { model }: OneShotConnection,
  { prefix, urls }: BusSettings,
  retryDelaysMs: readonly number[],
) {
  const { version, advice } = releaseOf(model);
  const connected = ok('broker', `RabbitMQ ${version} accepts the user of AMQP_URL`);
  const missing = await inspectPermissions(model, `${prefix}.doctor.${randomUUID()}`);
  if (missing) {
    const [url = ''] = urls;
    const needed = `give the user what a worker needs: ${permissionsLine(url, workerPermissions(prefix))}`;
    return [connected, fail('permissions', `no ${missing.permission} permission: ${missing.reason}`, needed)];
  }
  const findings = [
    connected,
    ok('permissions', `the user may configure, write and read under ${prefix}.`),
    ...topologyFindings(await inspectTopology(model, topologyOf(prefix, retryDelaysMs))),
  ];
  for (const delayMs of LIKELY_DELAYS_MS) {
    if (retryDelaysMs.includes(delayMs)) continue;
    const name = busNames(prefix).retry(delayMs);
    const counts = await countsOf(model, name, QUESTION_TIMEOUT_MS);
    if (!counts) continue;
    const held = counted(counts.messageCount, 'message');
    const unset = `${name} exists, but its delay is not in REPORTS_RETRY_DELAYS_MS; it holds ${held}`;
    const wait = counts.messageCount === 0 ? '' : 'wait until it is empty, then ';
    findings.push(warn('topology', unset, `${wait}delete it`));
  }
  const large = 'messages of more than 16 MiB are';
  const isTaken = await takesMessageOf(model, LARGEST_MESSAGE_BYTES + 1);
  if (isTaken) findings.push(warn('broker settings', `${large} taken`, LIMIT_MESSAGES));
  else findings.push(ok('broker settings', `${large} refused`));
  if (advice) findings.push(warn('broker settings', advice, 'docs/operations.md, RabbitMQ 4, has the lines'));
  return findings;
}

function topologyFindings(standings: readonly Standing[]): Finding[] {
  if (standings.every(({ state }) => state === 'missing')) {
    return [warn('topology', 'nothing of this service exists yet', 'start a worker, which declares it')];
  }
  const faults = standings.flatMap(({ kind, name, state, reason = '' }) => {
    if (state === 'as-declared') return [];
    const [find, what, advice] = FAULTS[state];
    return [find('topology', `the ${kind} ${name} ${what}${reason}`, advice)];
  });
  // Every worker consumes the quarantine, whatever its lanes are.
  const hasWorker = standings.some(({ name, consumers = 0 }) => LANE.test(name) && consumers > 0);
  const waiting = standings.flatMap(({ name, messages = 0, consumers = 0 }) => {
    const [, what, advice] = KEPT.find(([ending]) => ending.test(name)) ?? [];
    const isServed = consumers > 0 && LANE.test(name);
    if (what === undefined || messages === 0 || isServed) return [];
    const held = `${what.replace('NAME', name)} ${counted(messages, 'message')}`;
    const mayPause = hasWorker && MAY_PAUSE.test(name);
    return [
      mayPause ? warn('topology', `${held}; workers are connected`, PAUSED) : warn('topology', held, advice),
    ];
  });
  const whole = ok('topology', `all ${standings.length} exchanges and queues exist as declared`);
  return [...(faults.length === 0 ? [whole] : faults), ...waiting];
}
