import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface SourceFile {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  /** Changes whenever the file does: modification time and size. */
  readonly version: string;
}

const FOLDERS = ['apps', 'libs'];
const SKIPPED_FOLDERS = new Set(['node_modules', 'dist']);
/** Packed by themselves; no program here uses them. */
const PACKED_ALONE = ['libs/caller/src/nest', 'libs/caller-python'];

/**
 * The files of `apps` and `libs` that belong into the built code: TypeScript without specs, fixtures and
 * declarations, and what lies beside it in a `src` folder for reading at run time (pages, schemas).
 */
export function sourceFiles(root: string): SourceFile[] {
  return FOLDERS.flatMap((folder) => walk(root, folder)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function isTypeScript(path: string): boolean {
  return /\.m?ts$/.test(path);
}

function walk(root: string, folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      return SKIPPED_FOLDERS.has(entry.name) || PACKED_ALONE.includes(path) ? [] : walk(root, path);
    }
    if (!entry.isFile() || !belongs(path)) return [];
    const { mtimeMs, size } = statSync(join(root, path));
    return [{ path, version: `${mtimeMs}:${size}` }];
  });
}

function belongs(path: string): boolean {
  if (isTypeScript(path)) return !/\.(spec|fixture|d)\.m?ts$/.test(path);
  return path.includes('/src/') && !path.endsWith('.md');
}
