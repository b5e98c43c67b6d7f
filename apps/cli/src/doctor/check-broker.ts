import { type BrokerInspection, inspectBroker, type Standing } from '#messaging/client';
import { BrokerError } from '#rabbitmq';
import type { Settings } from '#settings';
import type { TlsContext } from '#tls';

import { fail, type Finding, ok, warn } from './finding.ts';

export type BrokerSettings = Pick<Settings, 'AMQP_URL' | 'AMQP_PREFIX' | 'REPORTS_RETRY_DELAYS_MS'>;

const SEE_RABBITMQ_4 = 'docs/operations.md, RabbitMQ 4, has the lines';

/** The broker as a worker would find it: whether it is there, what the user may do, and what stands. */
export async function checkBroker(settings: BrokerSettings, tls: TlsContext): Promise<Finding[]> {
  try {
    const { AMQP_URL: urls, AMQP_PREFIX: prefix, REPORTS_RETRY_DELAYS_MS: retryDelaysMs } = settings;
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
  const { version, advice, missingPermission } = inspection;
  const connected = ok('broker', `RabbitMQ ${version} accepts the user of AMQP_URL`);
  if (missingPermission) {
    const { permission, reason } = missingPermission;
    const needed = `a worker needs all three on ^${prefix}\\. and to write to amq.default: rabbitmqctl set_permissions`;
    return [connected, fail('permissions', `no ${permission} permission: ${reason}`, needed)];
  }
  return [
    connected,
    ok('permissions', `the user may configure, write and read under ${prefix}.`),
    ...topologyFindings(inspection.standings),
    ...inspection.unusedRetryQueues.map(({ name, messages }) =>
      warn(
        'topology',
        `${name} stands, and its delay is not in REPORTS_RETRY_DELAYS_MS; ${messagesOn(messages)}`,
        messages === 0 ? 'delete it' : 'wait until it is empty, then delete it',
      ),
    ),
    ...messageSizeFindings(inspection),
    ...(advice === undefined ? [] : [warn('broker settings', advice, SEE_RABBITMQ_4)]),
  ];
}

function topologyFindings(standings: readonly Standing[]): Finding[] {
  const missing = standings.filter(({ state }) => state === 'missing');
  if (missing.length === standings.length) {
    return [warn('topology', 'nothing of this service stands yet', 'start a worker, which declares it')];
  }
  const faults = standings.flatMap(faultOf);
  const isWhole = standings.every(({ state }) => state === 'as-declared');
  const whole = isWhole
    ? [ok('topology', `all ${standings.length} exchanges and queues stand as declared`)]
    : [];
  return [...whole, ...faults, ...standings.flatMap(contentOf)];
}

function faultOf({ kind, name, state, reason = '' }: Standing): Finding[] {
  if (state === 'as-declared') return [];
  if (state === 'missing') {
    return [warn('topology', `the ${kind} ${name} is missing`, 'start a worker, which declares it')];
  }
  if (state === 'unknown') {
    return [
      warn(
        'topology',
        `the ${kind} ${name} could not be looked at: ${reason}`,
        'ask again; then look at its node',
      ),
    ];
  }
  const advice =
    'empty and delete it, and start a worker, or choose another AMQP_PREFIX: no worker starts before';
  return [fail('topology', `the ${kind} ${name} stands with other properties: ${reason}`, advice)];
}

/** What lies in a queue, and lies there for somebody. */
function contentOf({ name, messages = 0, consumers = 0 }: Standing): Finding[] {
  if (/\.(interactive|reports|quarantine)$/.test(name) && messages > 0 && consumers === 0) {
    const advice = 'start a worker that serves it (LANES), and look at the logs of those that run';
    return [warn('topology', `nobody consumes ${name}; ${messagesOn(messages)}`, advice)];
  }
  if (name.endsWith('.dead-letters') && messages > 0) {
    return [
      warn(
        'topology',
        `${name}: ${messagesOn(messages)}`,
        'poker-bridge dead-letters list counts them by reason',
      ),
    ];
  }
  if (name.endsWith('.undelivered') && messages > 0) {
    const advice =
      'they go on by themselves once their reply queue is there again; poker-bridge replies list names those that never can';
    return [warn('topology', `${name}: ${messagesOn(messages)}`, advice)];
  }
  return [];
}

function messageSizeFindings({ takesHugeMessages }: BrokerInspection): Finding[] {
  if (!takesHugeMessages) return [ok('broker settings', 'messages of more than 16 MiB are refused')];
  const advice =
    'set max_message_size = 16777216 in rabbitmq.conf, so that no caller can fill the memory of workers';
  return [warn('broker settings', 'messages of more than 16 MiB are taken', advice)];
}

function messagesOn(count: number): string {
  return count === 1 ? '1 message lies there' : `${count} messages lie there`;
}
