const GAP = '  ';

/** One column: its title, and whether its cells are numbers, which end at the right. */
export interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** Aligned lines, the titles first; the cells are expected to be printable. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const titles = columns.map(({ title }) => title);
  const widths = columns.map((_, index) =>
    [titles, ...rows].reduce((width, row) => Math.max(width, row[index]?.length ?? 0), 0),
  );
  const line = (cells: readonly string[]): string =>
    columns
      .map(({ isNumber }, index) => {
        const [cell = '', width = 0] = [cells[index], widths[index]];
        return isNumber ? cell.padStart(width) : cell.padEnd(width);
      })
      .join(GAP)
      .trimEnd();
  return [titles, ...rows].map(line);
}
