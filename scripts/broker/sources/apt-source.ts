import { findInstallation } from '../installation.ts';
import { requireInstallation } from '../require-installation.ts';
import type { BrokerSource } from './broker-source.ts';
import { startPrivate } from './installed-source.ts';

/** A private node of the RabbitMQ that Debian or Ubuntu has, installed for it. */
export function aptSource(port?: number): BrokerSource {
  return {
    name: 'the package rabbitmq-server of Debian or Ubuntu',
    start: async () => {
      if (findInstallation() !== undefined) throw new Error('it is installed already');
      return startPrivate(await requireInstallation(), port);
    },
  };
}
