import type { ChannelModel } from 'amqplib';

/** How a release of RabbitMQ differs from 4.0. */
export interface BrokerRelease {
  /** Such as `4.3.6`; empty if the broker does not say it. */
  readonly version: string;
  /**
   * What changed by 4.3, measured on 4.0.5 and 4.3.6. Every delivery counts in `x-acquired-count`, and a nack no more in
   * `x-delivery-count`: what a caller wrote there survives it. What a consumer held whose node died is kept from the others
   * for `consumer_disconnected_timeout`, by default a minute. A mandatory message that reached a direct reply key is not
   * returned any more.
   */
  readonly isFrom43: boolean;
  /** What its administrator should set, unless that was done, which AMQP does not say. `undefined` if its defaults will do. */
  readonly advice: string | undefined;
}

export function brokerReleaseOf(version: string): BrokerRelease {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFrom43 = major > 4 || (major === 4 && minor >= 3);
  let advice: string | undefined;
  if (version !== '' && major < 4)
    advice = `RabbitMQ ${version} is served, but what is promised for a node that dies is promised from 4.0 on: upgrade it`;
  else if (isFrom43)
    advice =
      `RabbitMQ ${version} holds back the commands in flight on a dead node for a minute: ` +
      'set the policy consumer-disconnected-timeout of the quorum queues to 1000 (ms), unless that was done';
  return { version, isFrom43, advice };
}

export function releaseOf({ connection }: ChannelModel): BrokerRelease {
  return brokerReleaseOf(connection?.serverProperties?.version ?? '');
}
