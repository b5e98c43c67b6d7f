import type { ChannelModel } from 'amqplib';

/** How a release of RabbitMQ differs from 4.0. */
export type BrokerRelease = Readonly<ReturnType<typeof brokerReleaseOf>>;

export function brokerReleaseOf(version: string) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFrom43 = major > 4 || (major === 4 && minor >= 3);
  let advice: string | undefined;
  if (version !== '' && major < 4)
    advice = `RabbitMQ ${version} is served, but what is promised for a node that dies is promised from 4.0 on: upgrade it`;
  else if (version !== '')
    advice =
      `RabbitMQ ${version} counts a node that its cluster cannot reach as alive for a minute` +
      `${isFrom43 ? ', and holds back its commands for another one' : ''}: set net_ticktime = 8` +
      `${isFrom43 ? ', consumer_disconnected_timeout = 1000' : ''} and ` +
      'the poll_interval of raft.adaptive_failure_detector = 1000 in rabbitmq.conf of each node of a cluster, unless that was done';
  return {
    /** Such as `4.3.6`; empty if the broker does not say it. */
    version,
    /**
     * What changed by 4.3, measured on 4.0.5 and 4.3.6. Every delivery counts in `x-acquired-count`, and a nack no more in
     * `x-delivery-count`: what a caller wrote there survives it. What a consumer held whose node died is kept from the others
     * for `consumer_disconnected_timeout`, by default a minute. A mandatory message to a live direct reply key is not returned.
     */
    isFrom43,
    /** What its administrator should set, unless that was done, which AMQP does not say. `undefined` if its defaults will do. */
    advice,
  };
}

export function releaseOf({ connection }: ChannelModel): BrokerRelease {
  return brokerReleaseOf(connection?.serverProperties?.version ?? '');
}
