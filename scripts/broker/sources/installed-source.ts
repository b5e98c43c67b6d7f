import { findInstallation, type Installation, requireInstallation } from '../installation.ts';
import { startBroker } from '../start-broker.ts';
import type { BrokerSource, FoundBroker } from './broker-source.ts';

/** A private node of the RabbitMQ that is installed. */
export function installedSource(port?: number): BrokerSource {
  return {
    name: 'an installed rabbitmq-server',
    start: () => {
      const installation = findInstallation();
      if (installation === undefined) throw new Error('none is installed');
      return startPrivate(installation, port);
    },
  };
}

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

async function startPrivate(installation: Installation, port?: number): Promise<FoundBroker> {
  const broker = await startBroker({ installation, ...(port === undefined ? {} : { port }) });
  return { ...broker, origin: `a private RabbitMQ ${installation.version}` };
}
