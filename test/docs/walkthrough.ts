import { fencesOf, read } from './markdown.ts';

/**
 * Every file that docs/adding-a-command.md writes or changes, and what makes it so: TypeScript is a whole file, a diff
 * changes an existing one, and throws if it does not fit.
 */
export function walkthroughFiles() {
  return fencesOf(read('docs/adding-a-command.md')).map(({ heading, language, text }) => {
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
