/** A text and where each of its units stood in the text that it was decoded from. Without them, it was not decoded. */
export interface Decoded {
  readonly text: string;
  readonly starts?: readonly number[];
  /** Exclusive. */
  readonly ends?: readonly number[];
}

/** A run of bytes in a URL, or one character in HTML, JSON, or a JSON pointer; a pass is linear. */
const NOTATION = new RegExp(
  [
    '(?<url>(?:%[0-9a-f]{2})+)',
    '&(?:#(?<decimal>\\d{1,12})|#x(?<hex>[0-9a-f]{1,12})|(?<name>amp|lt|gt|quot|apos));',
    '\\\\u(?<unit>[0-9a-f]{4})',
    '\\\\(?<escaped>[^\\p{L}\\p{N}])',
    '~(?<tilde>[01])',
  ].join('|'),
  'giu',
);
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
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
  for (const { 0: notation, index, groups = {} } of text.matchAll(NOTATION)) {
    const meant = meaningOf(groups);
    if (meant === undefined) continue;
    keepUpTo(index);
    const start = starts?.[at] ?? at;
    at += notation.length;
    const end = ends?.[at - 1] ?? at;
    decoded += meant;
    for (let unit = 0; unit < meant.length; unit += 1) {
      from.push(start);
      to.push(end);
    }
  }
  if (at === 0) return undefined;
  keepUpTo(text.length);
  return { text: decoded, starts: from, ends: to };
}

/** The text that a notation stands for. */
function meaningOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { url, decimal, hex, name, unit, escaped, tilde } = groups;
  if (url !== undefined) return Buffer.from(url.replaceAll('%', ''), 'hex').toString();
  if (name !== undefined) return ENTITIES[name.toLowerCase()];
  if (tilde !== undefined) return tilde === '0' ? '~' : '/';
  if (escaped !== undefined) return escaped;
  const codePoint = decimal === undefined ? Number.parseInt(hex ?? unit ?? '', 16) : Number(decimal);
  return codePoint <= LAST_CODE_POINT ? String.fromCodePoint(codePoint) : undefined;
}
