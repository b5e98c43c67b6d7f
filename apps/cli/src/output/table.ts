const GAP = '  ';

/**
 * Aligned lines; the cells are expected to be printable.
 *
 * @param numbers the columns whose cells end at the right
 */
export function alignedLines(
  rows: readonly (readonly string[])[],
  numbers: readonly number[] = [],
): string[] {
  const lengthOf = (text = ''): number => [...text].length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => lengthOf(row[column]))));
  return rows.map((cells) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat((widths[column] ?? 0) - lengthOf(cell));
        return numbers.includes(column) ? `${space}${cell}` : `${cell}${space}`;
      })
      .join(GAP)
      .trimEnd(),
  );
}
