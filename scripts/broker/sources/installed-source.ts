import { findInstallation, type Installation } from '../installation.ts';
import type { Release } from '../releases/releases.ts';
import { installationAtHand, installServer, requireRelease, unpackNewest } from '../require-installation.ts';
import { startBroker } from '../start-broker.ts';
import type { BrokerSource, FoundBroker } from './broker-source.ts';

/** A private node of a certain release. */
export function releaseSource(release: Release, port?: number): BrokerSource {
  return {
    name: `RabbitMQ ${release}`,
    start: async () => startPrivate(await requireRelease(release), port),
  };
}

/** A private node of the newest RabbitMQ that is on this machine. */
export function installedSource(port?: number): BrokerSource {
  return {
    name: 'an installed rabbitmq-server',
    start: () => {
      const installation = installationAtHand();
      if (installation === undefined) throw new Error('none is installed');
      return startPrivate(installation, port);
    },
  };
}

/** A private node of the newest RabbitMQ that Debian has, unpacked into the user's cache. */
export function unpackedSource(port?: number): BrokerSource {
  return { name: 'Debian, unpacked', start: async () => startPrivate(await unpackNewest(), port) };
}

/** A private node of the RabbitMQ that Debian or Ubuntu has, installed for it. */
export function aptSource(port?: number): BrokerSource {
  return {
    name: 'the package rabbitmq-server of Debian or Ubuntu',
    start: async () => {
      if (findInstallation() !== undefined) throw new Error('it is installed already');
      return startPrivate(await installServer(), port);
    },
  };
}

async function startPrivate(installation: Installation, port?: number): Promise<FoundBroker> {
  const broker = await startBroker({ installation, ...(port === undefined ? {} : { port }) });
  return { ...broker, origin: `a private RabbitMQ ${installation.version}` };
}
