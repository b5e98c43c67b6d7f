import { exactJson } from '#signing';

import { EXIT, type ExitCode } from '../exit.ts';
import { describeRow } from './describe-row.ts';
import { type InputOptions, readInput } from './read-input.ts';
import { type Row, signedBy } from './read-rows.ts';

export interface ExplainOptions extends InputOptions {
  readonly json?: true;
}

/**
 * Prints how each request of an input is signed.
 *
 * @param path of a file, if no option names the input
 * @throws ExitError if the input cannot be used
 */
export async function signExplain(path: string | undefined, options: ExplainOptions): Promise<ExitCode> {
  const { rows, isList } = await readInput(path, options);
  if (!options.json) process.stdout.write(rows.map(describeRow).join('\n'));
  else if (isList) process.stdout.write(`[\n${rows.map(rowLine).join(',\n')}\n]\n`);
  else process.stdout.write(`${rows.map(rowLine).join('')}\n`);
  return rows.every(fits) ? EXIT.success : EXIT.failed;
}

/** The row without its secret, with the canonical string and the signature. */
function rowLine(row: Row): string {
  const { secret: _secret, canonical: _canonical, sign: _sign, ...given } = row.given;
  const { canonical, sign } = signedBy(row);
  return exactJson({ ...given, canonical, sign: sign ?? null });
}

/** What was sent without a signature is not wrong: an operator without a secret key opens games so. */
function fits(row: Row): boolean {
  const { sign } = signedBy(row);
  return sign === undefined || row.expectedSign === undefined || row.expectedSign === sign;
}
