import type { ChannelModel } from 'amqplib';

/** The differences between a release of RabbitMQ and 4.0. */
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
    /** For example `4.3.6`; empty if the broker does not report it. */
    version,
    /**
     * True from 4.3 on. Measured on 4.0.5 and 4.3.6: 4.3 counts every delivery in `x-acquired-count`, and no
     * longer counts a nack in `x-delivery-count`, so that a value written by the caller survives a nack.
     * Messages held by a consumer whose node died are withheld from others for
     * `consumer_disconnected_timeout`, one minute by default. A mandatory message to a live direct reply key
     * is not returned.
     */
    isFrom43,
    /**
     * Broker settings to recommend to its administrator, which AMQP cannot read; `undefined` if the defaults
     * suffice.
     */
    advice,
  };
}

/** Keyed by connection, because direct replies ask for each message. */
const RELEASES = new WeakMap<ChannelModel, BrokerRelease>();

export function releaseOf(model: ChannelModel): BrokerRelease {
  let release = RELEASES.get(model);
  if (!release) {
    release = brokerReleaseOf(model.connection?.serverProperties?.version ?? '');
    RELEASES.set(model, release);
  }
  return release;
}
