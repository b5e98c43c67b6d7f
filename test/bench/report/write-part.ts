import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../../scripts/root.ts';

export const DOCUMENT = 'docs/performance.md';

/** Replaces the text between the markers of one part of the documentation, by default of the bench's own document. */
export function writePart(part: string, paragraphs: readonly string[], document = DOCUMENT): void {
  const file = join(root, document);
  writeFileSync(file, between(readFileSync(file, 'utf8'), part, paragraphs));
}

/** @throws {Error} if the text has no place for the part */
export function between(text: string, part: string, paragraphs: readonly string[]): string {
  const [begin, end] = [`<!-- bench: ${part} -->`, `<!-- end of bench: ${part} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`there is no place for ${part}: ${begin} … ${end}`);
  return `${text.slice(0, from + begin.length)}\n\n${paragraphs.join('\n\n')}\n\n${text.slice(to)}`;
}
