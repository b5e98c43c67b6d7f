/**
 * Returns the rows with some names, which are separated by commas; default: all rows.
 *
 * @throws {Error} with the option and the existing rows, if one of these does not exist
 */
export function chooseRows<R extends { readonly name: string }>(
  option: string,
  rows: readonly R[],
  names?: string,
): readonly R[] {
  if (names === undefined) return rows;
  return names.split(',').map((name) => {
    const found = rows.find((row) => row.name === name);
    if (found) return found;
    throw new Error(`--${option} ${name} is not one of the rows ${rows.map((row) => row.name).join(', ')}`);
  });
}
