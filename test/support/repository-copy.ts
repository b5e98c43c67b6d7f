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
 * Copies this repository's sources and the installed packages, for all tests of a file. The workspace
 * packages among these link to this repository, not to the copy.
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
    /** Returns the text of a file; undefined if it does not exist. */
    read: (path: string) => (existsSync(inCopy(path)) ? readFileSync(inCopy(path), 'utf8') : undefined),
    write(path: string, text: string): void {
      mkdirSync(dirname(inCopy(path)), { recursive: true });
      folder.write(path, text);
    },
  };
}
