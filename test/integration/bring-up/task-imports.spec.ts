import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { SourceTextModule } from 'node:vm';

import { describe, expect, it } from '@jest/globals';

import { root } from '../../../scripts/root.ts';

const tasks = readdirSync(join(root, 'scripts/tasks'));

describe('before its first line has run, the task', () => {
  it.each(tasks)('%s imports no built code: in a clean checkout there is none yet', (task) => {
    expect(builtImports(join(root, 'scripts/tasks', task))).toEqual([]);
  });
});

/** The static imports of built code that a file reaches, each with the file that has it. `import()` is not static. */
function builtImports(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return importsOf(file).flatMap((name) => {
    if (name.startsWith('#')) return [`${relative(root, file)} imports ${name}`];
    return /^\..+\.(ts|mjs)$/.test(name) ? builtImports(join(dirname(file), name), seen) : [];
  });
}

/** As Node.js sees them: it removes the types first, and what is imported for a type alone with them. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const code = file.endsWith('.mjs') ? text : stripTypeScriptTypes(text);
  return new SourceTextModule(code).moduleRequests.map(({ specifier }) => specifier);
}
