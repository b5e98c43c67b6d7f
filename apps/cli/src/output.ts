import { exactJson } from '#signing';

/** A text for a terminal: control characters, which could manipulate it, are written as escapes. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A value for people: a text as it is, anything else as its exact JSON. */
export function written(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}

/** A line for each member that is not undefined: amqplib gives what was not set so. */
export function memberLines(of: object): string[] {
  const given = Object.entries(of).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name}: ${written(value)}`);
}

/** Shortens a text to at most `length` characters, with an ellipsis for the rest. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length - 1).join('')}…` : text;
}

/** Aligned lines; the cells are expected to be printable. @param number the column whose cells end at the right */
export function alignedLines(rows: readonly (readonly string[])[], number?: number): string[] {
  const widthOf = (text = ''): number => [...text].length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column]))));
  return rows.map((cells) => {
    const padded = cells.map((cell, column) => {
      const space = ' '.repeat((widths[column] ?? 0) - widthOf(cell));
      return column === number ? space + cell : cell + space;
    });
    return padded.join('  ').trimEnd();
  });
}

/** A period of a report in UTC that ended an hour ago: the platform's figures are complete after ten minutes. */
export function periodAnHourAgo(lengthMs: number): { readonly dateFrom: string; readonly dateTo: string } {
  const endMs = Date.now() - 3_600_000;
  const text = (atMs: number): string => new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
  return { dateFrom: text(endMs - lengthMs), dateTo: text(endMs) };
}
