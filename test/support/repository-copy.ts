import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeAll } from '@jest/globals';

import { root } from '../../scripts/root.ts';
import { folderForAll } from './suite-service.ts';

const COPIED = [
  'apps deploy docs examples lab libs scripts test',
  'CONTRIBUTING.md README.md SECURITY.md docker-compose.yml .prettierignore .prettierrc.json .swcrc jest.config.mjs package.json tsconfig.json',
].flatMap((line) => line.split(' '));

/**
 * A copy of this repository's sources for all tests of a file, with the installed packages. The workspace packages among
 * those are this repository's own.
 */
export function repositoryCopy() {
  const folder = folderForAll();
  const inCopy = (path: string): string => join(folder.path, path);
  beforeAll(() => {
    const isSource = (path: string): boolean => !/\/(dist|node_modules)$/.test(path);
    for (const path of COPIED) cpSync(join(root, path), inCopy(path), { recursive: true, filter: isSource });
    symlinkSync(join(root, 'node_modules'), inCopy('node_modules'));
  });
  return {
    get path(): string {
      return folder.path;
    },
    /** The text of a file; undefined if there is none. */
    read: (path: string) => (existsSync(inCopy(path)) ? readFileSync(inCopy(path), 'utf8') : undefined),
    write(path: string, text: string): void {
      mkdirSync(dirname(inCopy(path)), { recursive: true });
      folder.write(path, text);
    },
  };
}
