import type { ChannelModel } from 'amqplib';

/** How a release of RabbitMQ differs from the oldest one that is served, as far as the service depends on it. */
export interface BrokerRelease {
  /** As the broker says it, such as `4.3.6`; empty if it does not. */
  readonly version: string;
  /** Quorum queues deliver a message whose priority is above 4 before those without: 4.0.5 and 4.3.6, measured. */
  readonly honoursPriorities: boolean;
  /**
   * Every delivery counts in `x-acquired-count`, and a nack no more in `x-delivery-count`: what a caller wrote there
   * survives it. 4.3.6, not 4.0.5, measured.
   */
  readonly countsAcquisitions: boolean;
  /**
   * What a consumer held whose node died is kept from the others for `consumer_disconnected_timeout`, by default a
   * minute: 4.3.6, not 4.0.5, measured.
   */
  readonly keepsForDeadNodes: boolean;
}

export function brokerReleaseOf(version: string): BrokerRelease {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isFrom43 = major > 4 || (major === 4 && minor >= 3);
  return {
    version,
    honoursPriorities: major >= 4,
    countsAcquisitions: isFrom43,
    keepsForDeadNodes: isFrom43,
  };
}

/** The release of the broker at the other end of a connection, which every broker names when it opens one. */
export function releaseOf({ connection }: ChannelModel): BrokerRelease {
  const version: unknown = connection?.serverProperties?.version;
  return brokerReleaseOf(typeof version === 'string' ? version : '');
}
