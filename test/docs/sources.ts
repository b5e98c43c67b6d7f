import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { read, root } from './markdown.ts';

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The code under a folder, without its specs. */
export function sourcesOf(folder: string): readonly Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(spec|fixture)\.ts$/.test(path))
    .map((path) => ({ path: `${folder}/${path}`, text: read(`${folder}/${path}`) }));
}

/** Every string in single quotes. */
export function stringsIn(source: string): readonly string[] {
  return [...source.matchAll(/'([^'\n]*)'/g)].map(([, text = '']) => text);
}
