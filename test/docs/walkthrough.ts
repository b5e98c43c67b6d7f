import { fencesOf, read } from './markdown.ts';

/** The parts of docs/extending.md, by the titles of their sections. */
type Part = 'A command' | 'A setting' | 'An error code';

/**
 * Returns every file that a part of docs/extending.md writes or changes, with a function that does so. A
 * fence of TypeScript is a whole file. A diff changes an existing file, and throws if it does not fit.
 *
 * @param part default: all of them
 */
export function walkthroughFiles(part?: Part) {
  const sections = read('docs/extending.md').split(/^## /m);
  const wanted = sections.filter((section) => part === undefined || section.startsWith(`${part}\n`));
  return wanted.flatMap(fencesOf).map(({ heading, language, text }) => {
    const path = heading.replaceAll('`', '');
    return {
      path,
      apply: (before: string | undefined) => (language === 'diff' ? changed(path, before, text) : text),
    };
  });
}

function changed(path: string, before: string | undefined, diff: string): string {
  return diff.split('@@\n').reduce((text, hunk) => {
    const lines = hunk.split('\n').filter((line) => line !== '');
    const side = (dropped: string): string =>
      lines.flatMap((line) => (line.startsWith(dropped) ? [] : [`${line.slice(1)}\n`])).join('');
    const [found, ...others] = text.split(side('+'));
    if (found === undefined || others.length !== 1) throw new Error(`${path} has not once:\n${side('+')}`);
    return [found, ...others].join(side('-'));
  }, before ?? '');
}
