import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { beforeAll } from '@jest/globals';

import { copySources } from './copy-sources.ts';
import { folderForAll } from './suite-service.ts';

const COPIED = [
  'apps deploy docs examples lab libs scripts test',
  'CONTRIBUTING.md README.md SECURITY.md docker-compose.yml .prettierignore .prettierrc.json .swcrc jest.config.mjs package.json tsconfig.json',
].flatMap((line) => line.split(' '));

/** Copies this repository's sources, with its installed packages, for all tests of a file. */
export function repositoryCopy() {
  const folder = folderForAll();
  const inCopy = (path: string): string => join(folder.path, path);
  beforeAll(() => copySources(COPIED, folder.path));
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
