import { globSync } from 'node:fs';

import { installPackage } from './install-package.ts';

/**
 * Installs those packages of Debian or Ubuntu that are missing.
 *
 * @param packages each name with a file that it brings, as a pattern
 * @throws {Error} if they cannot be installed; it says which
 */
export async function installMissing(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.keys(packages).filter((name) => globSync(packages[name] ?? '').length === 0);
  if (missing.length > 0) await installPackage(...missing);
}
