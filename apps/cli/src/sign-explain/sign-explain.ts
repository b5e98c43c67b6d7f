import { exactJson } from '../input/exact-json.ts';
import { readSource } from '../input/read-source.ts';
import { canonicalOf } from './canonical-of.ts';
import { describeRow } from './describe-row.ts';
import { readRows, type Row } from './read-rows.ts';

/**
 * Prints how each request of a file is signed.
 *
 * @throws ExitError if the file cannot be used
 */
export async function signExplain(path: string, asJson: boolean): Promise<void> {
  const { rows, isList } = readRows(await readSource(path));
  if (!asJson) process.stdout.write(rows.map(describeRow).join('\n'));
  else if (isList) process.stdout.write(`[\n${rows.map(rowLine).join(',\n')}\n]\n`);
  else process.stdout.write(`${rows.map(rowLine).join('')}\n`);
}

/** The row without its secret, with the canonical string and the signature. */
function rowLine(row: Row): string {
  const { secret: _secret, canonical: _canonical, sign: _sign, ...given } = row.given;
  const { canonical, sign } = canonicalOf(row);
  return exactJson({ ...given, canonical, sign: sign ?? null });
}
