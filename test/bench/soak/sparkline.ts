const BLOCKS = '▁▂▃▄▅▆▇█';

/**
 * Values as a row of blocks, from the smallest to the largest.
 *
 * @param width the most blocks; of more values, each block shows the largest of its part
 */
export function sparkline(values: readonly number[], width: number): string {
  const parts = Math.min(width, values.length);
  const shown = Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.floor((edge * values.length) / parts));
    return Math.max(...values.slice(from, to));
  });
  const [least, most] = [Math.min(...shown), Math.max(...shown)];
  return shown
    .map(
      (value) =>
        BLOCKS[most > least ? Math.round(((value - least) / (most - least)) * (BLOCKS.length - 1)) : 0],
    )
    .join('');
}
