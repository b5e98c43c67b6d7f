import { describe, expect, it } from '@jest/globals';

import { ERROR_CODES } from '#contracts';

import { STORY } from '../../scripts/demo/story.ts';
import { fencesOf, read } from './markdown.ts';

const fences = fencesOf(read('README.md'));
const EXAMPLES: Readonly<Record<string, string>> = {
  python: 'examples/python/send_commands.py',
  js: 'examples/node/send-commands.mjs',
  ts: 'examples/nest/send-commands.ts',
};

describe("the demo's output in README.md", () => {
  const [demo] = fences.filter(({ text }) => text.startsWith('poker-bridge demo\n'));
  const scenes = (demo?.text ?? '')
    .split('\n\n')
    .slice(1)
    .map((block) => block.split('\n').filter((line) => line !== ''));
  const closing = scenes.pop();

  it('shows the scenes of the demo: titles, commands and data', () => {
    const shown = scenes.map(([title, command = '']) => {
      const [, type, data = '{}'] = /^ {2}→ (\S+) (.+)$/.exec(command) ?? [];
      return { title, type, data: JSON.parse(data) as unknown };
    });
    expect(shown).toEqual(STORY.map(({ title, type, data }) => ({ title, type, data })));
  });

  it('ends each scene with the expected reply or code', () => {
    const ends = scenes.map((lines) => {
      const last = lines.findLastIndex((line) => line.startsWith('  ← '));
      const [, type] = /^ {2}← (\S+) after \d+ ms$/.exec(lines[last] ?? '') ?? [];
      return type === 'command.failed' ? lines[last + 1]?.trim() : type;
    });
    const expected = STORY.map(({ expected: end }) => {
      if (!(end in ERROR_CODES)) return end;
      const { category, message } = ERROR_CODES[end as keyof typeof ERROR_CODES];
      return `${end} (${category}): ${message}`;
    });
    expect(ends).toEqual(expected);
  });

  it('closes with the number of commands', () => {
    expect(closing).toEqual([`All ${STORY.length} commands were answered as they should be.`]);
  });
});

describe('the code in README.md', () => {
  const excerpts = fences.filter(({ language }) => language in EXAMPLES);

  it('shows every example', () => {
    expect(new Set(excerpts.map(({ language }) => language))).toEqual(new Set(Object.keys(EXAMPLES)));
  });

  it.each(excerpts.map(({ language, text }) => [EXAMPLES[language] ?? '', text]))(
    'is part of %s',
    (path, text) => {
      expect(unindented(read(path))).toContain(unindented(text));
    },
  );
});

function unindented(text: string): string {
  return text.replace(/^ +/gm, '');
}
