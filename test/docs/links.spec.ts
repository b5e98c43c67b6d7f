import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { CONTESTANTS } from '../../lab/bench/contestants.ts';
import { anchorsOf, documents, fencesOf, isPath, read, root, rowsOf, tablesWith } from './markdown.ts';
import { walkthroughFiles } from './walkthrough.ts';

describe('links', () => {
  const LINK = /\[[^\]]*\]\(([^)\s]+)\)/g;
  const FOLDERS = 'apps|deploy|docs|examples|lab|libs|scripts|test';
  const REPOSITORY_PATH = new RegExp(String.raw`(?<![\w./:@-])(?:${FOLDERS})/[\w./-]*[\w/]`, 'g');
  const PATH_OF_A_MACHINE = /(?<![\w.<>-])\/(?:work|root|home|tmp|Users)\/\S*/g;
  const NPM_SCRIPT = /npm (?:run |(?=test\b))([\w:-]+)/g;

  /** Files that the walkthrough creates. */
  const invented = new Set(walkthroughFiles().map(({ path }) => path));

  const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

  describe.each(documents())('%s', (path) => {
    const text = read(path);

    it('contains no broken link', () => {
      const broken = [...text.matchAll(LINK)]
        .map(([, target = '']) => target)
        .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(path, target));
      expect(broken).toEqual([]);
    });

    it('names paths of the repository that exist', () => {
      const named = [...text.matchAll(REPOSITORY_PATH)].map(([found]) => found);
      // Within a document of a folder, a path may be relative to it.
      const missing = named.filter(
        (name) => !isPath(name) && !isPath(join(dirname(path), name)) && !invented.has(name),
      );
      expect(missing).toEqual([]);
    });

    it('names code that is in the file that it names', () => {
      const named = [...text.matchAll(/`(\w+)` in `([\w./-]+\.\w+)`/g)];
      const missing = named.filter(([, name = '', file = '']) => isPath(file) && !read(file).includes(name));
      expect(missing.map(([found]) => found)).toEqual([]);
    });

    it('has no row of a table over 120 columns', () => {
      expect(rowsOf(text).filter((row) => [...row].length > 120)).toEqual([]);
    });

    it('names no path of a machine', () => expect(text.match(PATH_OF_A_MACHINE)).toBeNull());

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
});

describe('the code in README.md', () => {
  const EXAMPLES: Readonly<Record<string, string>> = {
    python: 'examples/python/send_commands.py',
    js: 'examples/node/send-commands.mjs',
    ts: 'examples/nest/send-commands.ts',
  };
  const unindented = (text: string): string => text.replace(/^ +/gm, '');

  it.each(Object.entries(EXAMPLES))('in %s is part of %s', (language, path) => {
    const [excerpt] = fencesOf(read('README.md')).filter((fence) => fence.language === language);
    expect(unindented(read(path))).toContain(unindented(excerpt?.text ?? 'no excerpt'));
  });
});

describe('docs/performance.md', () => {
  const text = read('docs/performance.md');

  it('has a row for every worker that the bench measures', () => {
    const [costs] = tablesWith(text, 'worker');
    expect(costs?.rows.map(([label]) => label)).toEqual(CONTESTANTS.map(({ label }) => label));
  });

  it('lists the options', () => {
    const listed = tablesWith(text, 'Option').flatMap(({ rows }) =>
      rows.map(([option = '']) => /^`--([a-z-]+)/.exec(option)?.[1]),
    );
    const actual = [
      ...read('lab/tasks/bench.ts').matchAll(/^ +'?([a-z-]+)'?: (?:Boolean|Number|String|[A-Z_]+),$/gm),
    ].map(([, name]) => name);
    expect(listed.toSorted()).toEqual(actual.toSorted());
  });
});
