import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { read, root } from './markdown.ts';

const FOLDER = 'libs/messaging/src/rabbitmq/release-3.10';
const FACTS = ['Trap', 'Has it', 'Has it no more', 'Delete with it'];

describe('the list of what only RabbitMQ 3.10 needs', () => {
  const text = read(`${FOLDER}/README.md`);
  const sections = [...text.matchAll(/^## `([^`]+)`\n((?:(?!^#).*\n)+)/gm)].map(
    ([, file = '', facts = '']) => ({ file, facts }),
  );

  it('names every file of its folder', () => {
    const files = readdirSync(join(root, FOLDER)).filter(
      (file) => file.endsWith('.ts') && file !== 'index.ts' && !file.endsWith('.spec.ts'),
    );
    expect(sections.map(({ file }) => file).toSorted()).toEqual(files.toSorted());
  });

  it.each(sections)(
    'says of $file what the trap is, which releases have it, and what goes with it',
    ({ facts }) => {
      expect([...facts.matchAll(/^- ([^:]+): \S/gm)].map(([, fact]) => fact)).toEqual(FACTS);
    },
  );

  it('names files that are there', () => {
    const named = [...text.matchAll(/`([a-z-]+\/[a-z-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named).not.toEqual([]);
    expect(named.filter((file) => !existsSync(join(root, FOLDER, '..', file)))).toEqual([]);
  });
});
