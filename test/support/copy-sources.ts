import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../scripts/root.ts';

/**
 * Copies files and folders of this repository, without built files, and links its installed packages. The
 * workspace packages among these link to this repository, not to the copy.
 */
export function copySources(paths: readonly string[], folder: string): void {
  const isSource = (path: string): boolean => !/\/(dist|node_modules)$/.test(path);
  for (const path of paths)
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
}
