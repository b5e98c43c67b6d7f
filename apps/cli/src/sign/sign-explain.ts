import { styleText } from 'node:util';

import {
  exactJson,
  explainSignature,
  type Mistake,
  PAGINATION,
  SIGNATURE_VARIABLES,
  signatureOf,
  type SignatureSettings,
  type SignedPiece,
  signedText,
  traceSignature,
  usualMistakes,
} from '#signing';

import { EXIT, usageError } from '../exit.ts';
import type { Options } from '../input.ts';
import { alignedLines, jsonLine, printable, shortened } from '../output.ts';
import { type InputOptions, readInput, type Row } from './read-input.ts';

const LONGEST_VALUE = 60;
const LONGEST_MISTAKE = 64;
const SETTINGS_A_LINE = 3;
/** Reasons why a name is not signed. Source: interface document, "Signature", step 2. */
const WHY_DROPPED: Readonly<Record<string, string>> = {
  client: 'SIGNATURE_OPEN_GAME_CLIENT=drop',
  clientId: 'names the operator, is never signed',
  ...Object.fromEntries(PAGINATION.map((name) => [name, 'pagination is never signed'])),
  sign: 'is the signature itself',
};

const RAW = [
  'the bytes of the body (SIGNATURE_SCHEME_V3=raw-body), shown as this service writes it: JSON without white space.',
  'The parameters of the query take no part.',
];

type ExplainOptions = InputOptions & Options<never, 'json'>;
type SignedRow = ReturnType<typeof signed>;

/** Prints how each request of an input is signed. @throws ExitError if the input is invalid */
export async function signExplain(path: string | undefined, options: ExplainOptions): Promise<void> {
  try {
    const input = await readInput(path, options);
    const rows = [input].flat().map(signed);
    const lines = rows.map(rowLine);
    if (!options.json) process.stdout.write(rows.map(describeRow).join('\n'));
    else process.stdout.write(Array.isArray(input) ? `[\n${lines.join(',\n')}\n]\n` : `${lines.join('')}\n`);
    if (rows.some(({ isWrong }) => isWrong)) process.exitCode = EXIT.failed;
  } catch (error) {
    // The recursion is too deep. PHP reads no more than 512 levels.
    throw error instanceof RangeError ? usageError('the parameters are nested too deep') : error;
  }
}

function signed(row: Row) {
  const { parameters, rawBody, settings, secret, expectedSign } = row;
  const { data } = parameters;
  // The signature may cover the body only for open-game: as it was sent, or as this service would send it.
  const isOpenGame = typeof data === 'object' && data !== null;
  const request = { parameters, ...(isOpenGame && { body: rawBody ?? exactJson({ data }) }) };
  const canonical = signedText(request, settings);
  const sign = secret === undefined ? undefined : signatureOf(canonical, secret);
  // A request without a signature is valid: an operator without a secret key opens games unsigned.
  const isWrong = sign !== undefined && expectedSign !== undefined && expectedSign !== sign;
  return { ...row, request, canonical, sign, isWrong };
}

function rowLine({ given, canonical, sign }: SignedRow): string {
  const { secret: _secret, canonical: _canonical, sign: _sign, ...others } = given;
  return jsonLine({ ...others, canonical, sign: sign ?? null });
}

function describeRow(row: SignedRow): string {
  const { name = 'request', request, settings, notes = [], canonical, sign } = row;
  const isRaw = settings.schemeV3 === 'raw-body' && request.body !== undefined;
  return [
    styleText('bold', printable(name)),
    ...section('settings', settingsLines(settings)),
    ...(isRaw ? section('signed', RAW) : parameterLines(row)),
    ...section(`canonical string, ${[...canonical].length} characters`, [printable(canonical)]),
    ...section('sign', [sign ?? 'none: a digest needs the secret', ...comparisonLines(row)]),
    ...(notes.length > 0 ? section('also', notes.map(printable)) : []),
    ...section('what the usual mistakes would give instead', mistakeLines(row)),
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

function parameterLines({ parameters, settings }: Row): string[] {
  const { dropped, pieces } = traceSignature(parameters, settings);
  const left = dropped.map((path) => {
    const [name = '', ...below] = path;
    if (below.length > 0) return [printable(pointerOf(path)), 'SIGNATURE_EXCLUDE=deep'];
    return [printable(name), WHY_DROPPED[name] ?? 'one of the names that are never signed'];
  });
  const kept = pieces.map((piece, index) => [
    String(index + 1).padStart(2),
    printable(pointerOf(piece.path)),
    piece.text === '' ? '(nothing)' : shortened(printable(piece.text), LONGEST_VALUE),
    whyKept(piece, settings),
  ]);
  return [
    ...section('dropped', left.length === 0 ? ['nothing'] : alignedLines(left)),
    ...section(
      'kept, sorted by name at every depth; the values are joined without separators, the secret comes last',
      alignedLines(kept),
    ),
  ];
}

function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function whyKept({ path, value, origin }: SignedPiece, settings: SignatureSettings): string {
  const isScalar = typeof value === 'boolean' || value === null;
  const reasons = [
    path.length === 1 && path[0] === 'client' && 'SIGNATURE_OPEN_GAME_CLIENT=keep',
    origin === 'joined' && 'joined from a string of JSON, SIGNATURE_JSON_PLACEMENT=merge',
    origin === 'decoded' && `found in a string of JSON, SIGNATURE_JSON_STRINGS=${settings.jsonStrings}`,
    isScalar && `${exactJson(value)}, SIGNATURE_SCALARS=${settings.scalars}`,
  ];
  return reasons.filter(Boolean).join('; ');
}

function comparisonLines({ request, settings, secret, isWrong, expectedSign: sent }: SignedRow): string[] {
  if (sent === undefined || secret === undefined) return [];
  if (!isWrong) return [styleText('green', 'the same as the sign that was given')];
  const wrong = explainSignature({ sent, request, settings, secretKey: secret });
  const changed = Object.entries(wrong.settings ?? {}).map(([variable, value]) => `${variable}=${value}`);
  return [
    `${styleText('yellow', 'not the sign that was given')}, ${printable(sent)}`,
    printable(wrong.reason),
    ...(changed.length > 0 ? [`settings of that sign: ${changed.join(' ')}`] : []),
  ];
}

function mistakeLines({ request, settings, secret, canonical }: SignedRow): string[] {
  /**
   * Lists the digests for other settings and for mistakes. Of mistakes with the same title, only the first
   * counts.
   */
  const texts = new Map<string, string>(
    otherSettings(settings).map(([name, other]) => [name, signedText(request, other)]),
  );
  for (const mistake of usualMistakes(request)) {
    const title = titleOf(mistake);
    const isListed = !mistake.seal && (!mistake.separator || mistake.piece);
    if (isListed && !texts.has(title)) texts.set(title, signedText(request, settings, mistake));
  }
  const shown = (text: string): string =>
    secret === undefined ? shortened(printable(text), LONGEST_MISTAKE) : signatureOf(text, secret);
  const differing = [...texts].filter(([, text]) => text !== canonical);
  const same = [...texts.keys()].filter((name) => texts.get(name) === canonical).join('; ');
  const none = same === '' ? [] : [styleText('dim', `no difference here: ${same}`)];
  return [...alignedLines(differing.map(([name, text]) => [name, shown(text)])), ...none];
}

function otherSettings(settings: SignatureSettings) {
  return Object.entries(SIGNATURE_VARIABLES).flatMap(([variable, { member, values }]) => {
    const others = Object.keys(values).filter((value) => value !== settings[member]);
    return others.map((value) => [`${variable}=${value}`, { ...settings, [member]: value }] as const);
  });
}

/** Describes a fault, without the rule that it breaks. */
function titleOf({ reason }: Mistake): string {
  return printable(reason.replace(/[;.](?=\s|$).*/s, '').replace(/joined by .*/, 'joined by a separator'));
}
