import { styleText } from 'node:util';

import {
  exactJson,
  explainSignature,
  type Mistake,
  SIGNATURE_VARIABLES,
  signatureOf,
  type SignatureSettings,
  type SignedPiece,
  signedText,
  traceSignature,
  usualMistakes,
} from '#signing';

import { EXIT, type ExitCode } from '../exit.ts';
import { printable, shortened } from '../output/printable.ts';
import { alignedLines } from '../output/table.ts';
import { type InputOptions, readInput } from './read-input.ts';
import { requestOf, type Row, signedBy } from './read-rows.ts';

const LONGEST_VALUE = 60;
const LONGEST_MISTAKE = 64;
const SETTINGS_A_LINE = 3;

/** Why a name is not signed. Source: interface document, "Signature", step 2. */
const WHY_DROPPED: Readonly<Record<string, string>> = {
  client: 'SIGNATURE_OPEN_GAME_CLIENT=drop',
  clientId: 'names the operator, is never signed',
  'per-page': 'pagination is never signed',
  page: 'pagination is never signed',
  sort: 'pagination is never signed',
  sign: 'is the signature itself',
};
const NEVER_SIGNED = 'one of the names that are never signed';

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

/** Shows how one request is signed. The secret is not shown. */
function describeRow(row: Row): string {
  const { canonical, sign } = signedBy(row);
  const isRaw = row.settings.schemeV3 === 'raw-body' && requestOf(row).body !== undefined;
  return [
    styleText('bold', printable(row.name ?? 'request')),
    ...section('settings', settingsLines(row.settings)),
    ...(isRaw ? rawLines() : parameterLines(row)),
    ...section(`canonical string, ${[...canonical].length} characters`, [printable(canonical)]),
    ...section('sign', [sign ?? 'none: a digest needs the secret', ...comparisonLines(row, sign)]),
    ...(row.notes && row.notes.length > 0 ? section('also', row.notes.map(printable)) : []),
    ...section('what the usual mistakes would give instead', mistakeLines(row, canonical)),
    '',
  ].join('\n');
}

function section(title: string, lines: readonly string[]): string[] {
  return [`  ${styleText('cyan', title)}`, ...lines.map((line) => `    ${line}`)];
}

function settingsLines(settings: SignatureSettings): string[] {
  const cells = Object.entries(SIGNATURE_VARIABLES).map(
    ([variable, { member }]) => `${variable.replace('SIGNATURE_', '')}=${settings[member]}`,
  );
  return alignedLines([cells.slice(0, SETTINGS_A_LINE), cells.slice(SETTINGS_A_LINE)]);
}

function rawLines(): string[] {
  return section('signed', [
    'the bytes of the body (SIGNATURE_SCHEME_V3=raw-body), shown as this service writes it: JSON without white space.',
    'The parameters of the query take no part.',
  ]);
}

function parameterLines({ parameters, settings }: Row): string[] {
  const { dropped, pieces } = traceSignature(parameters, settings);
  return [
    ...section(
      'dropped',
      dropped.length === 0
        ? ['nothing']
        : alignedLines(dropped.map((path) => [printable(droppedName(path)), whyDropped(path)])),
    ),
    ...section(
      'kept, sorted by name at every depth; the values are joined without separators, the secret comes last',
      alignedLines(
        pieces.map((piece, index) => [
          String(index + 1).padStart(2),
          printable(pointerOf(piece.path)),
          piece.text === '' ? '(nothing)' : shortened(printable(piece.text), LONGEST_VALUE),
          whyKept(piece, settings),
        ]),
      ),
    ),
  ];
}

/** A name of the top level, or a pointer below it. */
function droppedName(path: readonly string[]): string {
  return path.length === 1 ? path.join() : pointerOf(path);
}

function whyDropped([name = '', ...below]: readonly string[]): string {
  if (below.length > 0) return 'SIGNATURE_EXCLUDE=deep';
  return WHY_DROPPED[name] ?? NEVER_SIGNED;
}

function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A note on a value that may surprise a reader. */
function whyKept({ path, value, isDecoded, isJoined }: SignedPiece, settings: SignatureSettings): string {
  const reasons: string[] = [];
  if (path.length === 1 && path[0] === 'client') reasons.push('SIGNATURE_OPEN_GAME_CLIENT=keep');
  if (isJoined) reasons.push('joined from a string of JSON, SIGNATURE_JSON_PLACEMENT=merge');
  else if (isDecoded) {
    reasons.push(`found in a string of JSON, SIGNATURE_JSON_STRINGS=${settings.jsonStrings}`);
  }
  if (typeof value === 'boolean' || value === null) {
    reasons.push(`${exactJson(value)}, SIGNATURE_SCALARS=${settings.scalars}`);
  }
  return reasons.join('; ');
}

function comparisonLines(row: Row, sign: string | undefined): string[] {
  const { expectedSign: sent, secret, settings } = row;
  if (sent === undefined || sign === undefined || secret === undefined) return [];
  if (sent === sign) return [styleText('green', 'the same as the sign that was given')];
  const wrong = explainSignature({ sent, request: requestOf(row), settings, secretKey: secret });
  const changed = Object.entries(wrong.settings ?? {}).map(([variable, value]) => `${variable}=${value}`);
  return [
    `${styleText('yellow', 'not the sign that was given')}, ${printable(sent)}`,
    printable(wrong.reason),
    ...(changed.length > 0 ? [`settings of that sign: ${changed.join(' ')}`] : []),
  ];
}

/** Another way to sign the request: other settings, or a mistake. */
interface Way {
  readonly name: string;
  readonly settings?: SignatureSettings;
  readonly mistake?: Mistake;
}

function mistakeLines(row: Row, canonical: string): string[] {
  const request = requestOf(row);
  const mistakes = usualMistakes(request).map((mistake) => ({ name: titleOf(mistake), mistake }));
  const listed = mistakes.filter(({ mistake: { seal, separator, piece } }) => !seal && (!separator || piece));
  const ways = byName<Way>([...otherWays(row.settings), ...listed]).map(
    ({ name, settings = row.settings, mistake }) => {
      const text = signedText(request, settings, mistake);
      return { name, text, isSame: text === canonical };
    },
  );
  const cells = ways
    .filter(({ isSame }) => !isSame)
    .map(({ name, text }) => [
      name,
      row.secret === undefined ? shortened(printable(text), LONGEST_MISTAKE) : signatureOf(text, row.secret),
    ]);
  const same = ways.filter(({ isSame }) => isSame);
  const unlisted = byName(mistakes).filter(({ name }) => !ways.some((way) => way.name === name));
  return [
    ...alignedLines(cells),
    ...(same.length === 0 ? [] : [styleText('dim', `no difference here: ${namesOf(same)}`)]),
    styleText(
      'dim',
      `looked for in a sign that is given: ${namesOf(unlisted)}; a parameter is left out; two at once`,
    ),
  ];
}

function otherWays(settings: SignatureSettings): Way[] {
  return Object.entries(SIGNATURE_VARIABLES).flatMap(([variable, { member, values }]) =>
    Object.keys(values)
      .filter((value) => value !== settings[member])
      .map((value) => ({ name: `${variable}=${value}`, settings: { ...settings, [member]: value } })),
  );
}

/** What is wrong, without what it must be. */
function titleOf({ reason }: Mistake): string {
  return printable(reason.replace(/[;.](?=\s|$).*/s, '').replace(/joined by .*/, 'joined by a separator'));
}

function byName<T extends Way>(ways: readonly T[]): T[] {
  return [...new Map(ways.toReversed().map((way) => [way.name, way])).values()].toReversed();
}

function namesOf(ways: readonly Way[]): string {
  return ways.map(({ name }) => name).join('; ');
}
