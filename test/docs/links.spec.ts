import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { anchorsOf, documents, read, root } from './markdown.ts';
import { walkthroughFiles } from './walkthrough.ts';

const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
const FOLDERS = 'apps|deploy|docs|examples|libs|scripts|test';
const REPOSITORY_PATH = new RegExp(String.raw`(?<![\w./:@-])(?:${FOLDERS})/[\w./-]*[\w/]`, 'g');
const PATH_OF_A_MACHINE = /(?<![\w.<>-])\/(?:work|root|home|tmp|Users)\/\S*/g;
const NPM_SCRIPT = /npm (?:run |(?=test\b))([\w:-]+)/g;

/** Files that the walkthrough creates. */
const invented = new Set(walkthroughFiles().map(({ path }) => path));

const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

describe.each(documents())('%s', (path) => {
  const text = read(path);

  it('links to what is there', () => {
    const broken = [...text.matchAll(LINK)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target));
    expect(broken).toEqual([]);
  });

  it('names paths of the repository that exist', () => {
    const named = [...text.matchAll(REPOSITORY_PATH)].map(([found]) => found);
    // Within a document of a folder, a path may be relative to it.
    const missing = named.filter(
      (name) =>
        !existsSync(join(root, name)) && !existsSync(join(root, dirname(path), name)) && !invented.has(name),
    );
    expect(missing).toEqual([]);
  });

  it('names no path of a machine', () => {
    expect(text.match(PATH_OF_A_MACHINE)).toBeNull();
  });

  it('names npm scripts that exist', () => {
    const unknown = [...text.matchAll(NPM_SCRIPT)]
      .map(([, name = '']) => name)
      .filter((name) => scripts[name] === undefined);
    expect(unknown).toEqual([]);
  });
});

function leadsSomewhere(from: string, target: string): boolean {
  const [file = '', anchor] = target.split('#');
  const path = file === '' ? from : relative(root, join(root, dirname(from), file));
  if (path.startsWith('..') || !existsSync(join(root, path))) return false;
  return anchor === undefined || anchorsOf(read(path)).has(anchor);
}
