/** A text and where each of its units stood in the text that it was decoded from. Without them, it was not decoded. */
export interface Decoded {
  readonly text: string;
  readonly starts?: readonly number[];
  /** Exclusive. */
  readonly ends?: readonly number[];
}

const PERCENT = '%[0-9a-f]{2}';
/** One character in a URL, HTML, JSON, or a JSON pointer; each alternative is of bounded length, so that a pass is linear. */
const NOTATION = new RegExp(
  [
    `(?<url>(?:${PERCENT}){1,4})`,
    '&(?:#(?<decimal>\\d{1,12})|#x(?<hex>[0-9a-f]{1,12})|(?<name>amp|lt|gt|quot|apos));',
    '\\\\u(?<unit>[0-9a-f]{4})',
    '\\\\(?<escaped>[^\\p{L}\\p{N}])',
    '~(?<tilde>[01])',
  ].join('|'),
  'giu',
);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Of `%41`. */
const ESCAPE_UNITS = 3;
const LAST_CODE_POINT = 0x10_ff_ff;

/** Takes one layer of notations off; `undefined` if there was none. */
export function decodeOnce({ text, starts, ends }: Decoded): Decoded | undefined {
  let decoded = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  const keepUpTo = (index: number): void => {
    decoded += text.slice(at, index);
    for (; at < index; at += 1) {
      from.push(starts?.[at] ?? at);
      to.push(ends?.[at] ?? at + 1);
    }
  };
  const notation = new RegExp(NOTATION);
  for (let match = notation.exec(text); match; match = notation.exec(text)) {
    const [character, length] = characterOf(match);
    // The escapes of a URL behind its first character are looked at next.
    notation.lastIndex = match.index + length;
    if (character === undefined) continue;
    keepUpTo(match.index);
    const start = starts?.[at] ?? at;
    at += length;
    const end = ends?.[at - 1] ?? at;
    decoded += character;
    for (let unit = 0; unit < character.length; unit += 1) {
      from.push(start);
      to.push(end);
    }
  }
  if (at === 0 && decoded === '') return undefined;
  keepUpTo(text.length);
  return { text: decoded, starts: from, ends: to };
}

/** The character that a match stands for, and how many units of the match it takes. */
function characterOf(match: RegExpExecArray): [string | undefined, number] {
  const { url, decimal, hex, name, unit, escaped, tilde } = match.groups ?? {};
  if (url !== undefined) return firstOf(url);
  const { length } = match[0];
  if (name !== undefined) return [ENTITIES[name.toLowerCase()], length];
  if (escaped !== undefined) return [escaped, length];
  if (tilde !== undefined) return [tilde === '0' ? '~' : '/', length];
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? unit ?? '', 16) : Number(decimal);
  return [codePoint <= LAST_CODE_POINT ? String.fromCodePoint(codePoint) : undefined, length];
}

/** The first character of some bytes in UTF-8, percent-encoded; a byte that is none stands for itself. */
function firstOf(url: string): [string | undefined, number] {
  const first = Number.parseInt(url.slice(1, ESCAPE_UNITS), 16);
  if (first < 0x80) return [String.fromCharCode(first), ESCAPE_UNITS];
  const bytes = Buffer.from(url.replaceAll('%', ''), 'hex');
  const size = first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const character = bytes.toString('utf8', 0, size);
  // Compared, since the character that stands for bytes that are none may itself be sent.
  return size > 0 && Buffer.from(character).equals(bytes.subarray(0, size))
    ? [character, size * ESCAPE_UNITS]
    : [undefined, ESCAPE_UNITS];
}
