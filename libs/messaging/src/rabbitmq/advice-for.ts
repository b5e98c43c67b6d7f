import type { BrokerRelease } from './connection/broker-release.ts';

/**
 * What to set on a broker of this release. Clients of AMQP cannot see whether it is set, so that it is said in any case.
 *
 * @returns undefined if its defaults will do
 */
export function adviceFor({ version, keepsForDeadNodes }: BrokerRelease): string | undefined {
  if (!keepsForDeadNodes) return undefined;
  return (
    `RabbitMQ ${version} holds back the commands in flight on a dead node for a minute: ` +
    'set the policy consumer-disconnected-timeout of the quorum queues to 1000 (ms), unless that was done'
  );
}
