import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, it } from '@jest/globals';

import { GatheredLines } from './logger.ts';

function gathering() {
  const chunks: string[] = [];
  return { chunks, lines: new GatheredLines({ write: (chunk) => chunks.push(chunk) }) };
}

describe('GatheredLines', () => {
  it('writes lines together that come within a short time', async () => {
    const { chunks, lines } = gathering();
    lines.write('a\n');
    lines.write('b\n');
    expect(chunks).toEqual([]);
    while (chunks.length === 0) await sleep(10);
    expect(chunks).toEqual(['a\nb\n']);
  });

  it('keeps the sequence of lines, whatever their length and their characters', () => {
    const { chunks, lines } = gathering();
    const long = `${'ü€😀'.repeat(10_000)}\n`;
    const written = ['ä\n', long, 'b\n', 'c\n'];
    for (const line of written) lines.write(line);
    lines.flush();
    expect(chunks.map(({ length }) => length)).toEqual([2, long.length, 4]);
    expect(chunks.join('') === written.join('')).toBe(true);
  });

  it('writes nothing twice, and nothing if there is nothing', async () => {
    const { chunks, lines } = gathering();
    lines.flush();
    lines.write('a\n');
    lines.flush();
    lines.flush();
    await sleep(100);
    expect(chunks).toEqual(['a\n']);
  });
});
