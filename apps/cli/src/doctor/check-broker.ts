import { type BrokerInspection, inspectBroker, type Standing } from '#messaging/client';
import { BrokerError } from '#rabbitmq';
import type { Settings } from '#settings';

import { OF_BROKER, tlsOf } from '../servers.ts';
import { fail, type Finding, ok, warn } from './finding.ts';

export const BROKER_SETTINGS = [...OF_BROKER, 'REPORTS_RETRY_DELAYS_MS'] as const;

/** What to say of an exchange or a queue by its state. */
const FAULTS = {
  missing: [warn, 'is missing', 'start a worker, which declares it'],
  unknown: [warn, 'could not be inspected: ', 'try again; then look at its node'],
  different: [
    fail,
    'exists with other properties: ',
    'empty and delete it, and start a worker, or choose another AMQP_PREFIX: no worker starts before',
  ],
} as const;
const LANE = /\.(interactive|reports|quarantine)$/;
/** What to say of messages that wait, by the queue. */
const KEPT: readonly (readonly [RegExp, string, string])[] = [
  [
    LANE,
    'no worker consumes NAME, which holds',
    'start a worker that serves it (LANES), and look at the logs of those that run',
  ],
  [/\.dead-letters$/, 'NAME holds', 'poker-bridge dead-letters list counts them by reason'],
  [
    /\.undelivered$/,
    'NAME holds',
    'workers deliver them once their reply queue is there again; poker-bridge replies list names those that never can be',
  ],
];

/** The broker as a worker would find it. @throws SettingsError if a file of its TLS cannot be used */
export async function checkBroker(
  settings: Pick<Settings, (typeof BROKER_SETTINGS)[number]>,
): Promise<Finding[]> {
  const { AMQP_URL: urls, AMQP_PREFIX: prefix, REPORTS_RETRY_DELAYS_MS: retryDelaysMs } = settings;
  const tls = tlsOf('AMQP', settings, urls);
  try {
    return findingsOf(await inspectBroker({ urls, prefix, retryDelaysMs, tls }), prefix);
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    return [fail('broker', error.message, adviceOn(error))];
  }
}

function adviceOn({ fault }: BrokerError): string {
  if (fault === 'blocked') {
    return 'free memory or disk there, or raise vm_memory_high_watermark: until then no command gets in, and no reply out';
  }
  if (fault !== 'unreachable')
    return 'check user, password and virtual host in AMQP_URL (its path is the virtual host)';
  return 'check host and port in AMQP_URL, that the broker runs, and the authority of its certificate (AMQP_TLS_CA)';
}

function findingsOf(inspection: BrokerInspection, prefix: string): Finding[] {
  const { version, advice, missingPermission, standings, unusedRetryQueues, takesHugeMessages } = inspection;
  const connected = ok('broker', `RabbitMQ ${version} accepts the user of AMQP_URL`);
  if (missingPermission) {
    const { permission, reason } = missingPermission;
    const needed = `a worker needs all three on ^${prefix}\\. and to write to amq.default: rabbitmqctl set_permissions`;
    return [connected, fail('permissions', `no ${permission} permission: ${reason}`, needed)];
  }
  const largest = 'messages of more than 16 MiB are';
  const limit =
    'set max_message_size = 16777216 in rabbitmq.conf, so that no caller can fill the memory of workers';
  return [
    connected,
    ok('permissions', `the user may configure, write and read under ${prefix}.`),
    ...topologyFindings(standings),
    ...unusedRetryQueues.map(({ name, messages }) =>
      warn(
        'topology',
        `${name} exists, but its delay is not in REPORTS_RETRY_DELAYS_MS; it holds ${messagesIn(messages)}`,
        messages === 0 ? 'delete it' : 'wait until it is empty, then delete it',
      ),
    ),
    takesHugeMessages
      ? warn('broker settings', `${largest} taken`, limit)
      : ok('broker settings', `${largest} refused`),
    ...(advice ? [warn('broker settings', advice, 'docs/operations.md, RabbitMQ 4, has the lines')] : []),
  ];
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
  const waiting = standings.flatMap(({ name, messages = 0, consumers = 0 }) => {
    const [, what, advice] = KEPT.find(([ending]) => ending.test(name)) ?? [];
    if (what === undefined || advice === undefined || messages === 0) return [];
    if (consumers > 0 && LANE.test(name)) return [];
    return [warn('topology', `${what.replace('NAME', name)} ${messagesIn(messages)}`, advice)];
  });
  const whole = ok('topology', `all ${standings.length} exchanges and queues exist as declared`);
  return [...(faults.length === 0 ? [whole] : faults), ...waiting];
}

function messagesIn(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}
