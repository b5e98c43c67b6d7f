import { installPackage } from '../apt/install-package.ts';
import { findInstallation, type Installation } from './installation.ts';

/**
 * The installed RabbitMQ; on Debian and Ubuntu, as root, the package is installed first where it is missing.
 *
 * @throws {Error} saying what to install
 */
export async function requireInstallation(): Promise<Installation> {
  const found = findInstallation();
  if (found !== undefined) return found;
  await installPackage('rabbitmq-server');
  const installed = findInstallation();
  if (installed !== undefined) return installed;
  throw new Error('the package rabbitmq-server was installed, but holds no server where it is expected');
}
