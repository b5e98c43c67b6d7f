import { styleText } from 'node:util';

import { type SignatureSettings, type SignedPiece, traceSignature } from '#signing';

import { exactJson } from '../input/exact-json.ts';
import { SIGNATURE_VARIABLES } from '../input/signature-variables.ts';
import { printable, shortened } from '../output/printable.ts';
import { canonicalOf, isSignedRaw, type Signed } from './canonical-of.ts';
import { comparisonOf } from './comparison.ts';
import { type Mistake, mistakesOf } from './mistakes.ts';
import type { Row } from './read-rows.ts';

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

/** Shows how one request is signed. The secret is not shown. */
export function describeRow(row: Row): string {
  const signed = canonicalOf(row);
  const mistakes = mistakesOf(row);
  return [
    styleText('bold', printable(row.name ?? 'request')),
    ...section('settings', settingsLines(row.settings)),
    ...(isSignedRaw(row.parameters, row.settings) ? rawLines() : parameterLines(row)),
    ...section(`canonical string, ${[...signed.canonical].length} characters`, [printable(signed.canonical)]),
    ...section('sign', [signed.sign ?? 'none: a digest needs the secret', ...comparisonLines(row)]),
    ...(row.notes && row.notes.length > 0 ? section('also', row.notes.map(printable)) : []),
    ...section('what the usual mistakes would give instead', mistakeLines(signed, mistakes)),
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
  return columns([cells.slice(0, SETTINGS_A_LINE), cells.slice(SETTINGS_A_LINE)]);
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
        : columns(dropped.map((path) => [printable(droppedName(path)), whyDropped(path)])),
    ),
    ...section(
      'kept, sorted by name at every depth; the values are joined without separators, the secret comes last',
      columns(
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

function comparisonLines(row: Row): string[] {
  const comparison = comparisonOf(row);
  if (!comparison) return [];
  if (comparison.kind === 'same') return [styleText('green', 'the same as the sign that was given')];
  const other = `${styleText('yellow', 'not the sign that was given')}, ${printable(row.expectedSign ?? '')}`;
  if (comparison.kind === 'capitals') {
    return [
      other,
      'which is the same in capitals, or with blanks around it: send it in lower case, and alone',
    ];
  }
  const { mistake, isInCapitals } = comparison;
  return [
    other,
    mistake
      ? `which is the one for: ${mistake.name}`
      : 'which none of the mistakes below gives, nor two of them at once: is it the same secret?',
    ...(isInCapitals && mistake ? ['and it is in capitals, or has blanks around it'] : []),
  ];
}

function mistakeLines({ canonical }: Signed, mistakes: readonly Mistake[]): string[] {
  const [same, other] = [true, false].map((isSame) =>
    mistakes.filter((mistake) => (mistake.canonical === canonical) === isSame),
  ) as [Mistake[], Mistake[]];
  return [
    ...columns(
      other.map(({ name, sign, canonical: wrong }) => [
        name,
        sign ?? shortened(printable(wrong), LONGEST_MISTAKE),
      ]),
    ),
    ...(same.length === 0
      ? []
      : [styleText('dim', `no difference here: ${same.map(({ name }) => name).join('; ')}`)]),
  ];
}

/** Pads all columns but the last to equal width. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => [...(cells[column] ?? '')].length)),
  );
  return rows.map((cells) =>
    cells
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd(),
  );
}
