const SHORT = 3;
const PLAIN = /[\p{L}\p{N}_-]/u;
const ASCII = /^[\0-\x7f]$/;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
/** One backslash, also in a URL. */
const BACKSLASH = String.raw`(?:\\|%(?:25)*5C)`;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/**
 * The source of a regular expression, for the flags `iu`, that finds a value in any notation: as it is, in a URL or a
 * form, in JSON or HTML, and escaped more than once. A value shorter than three characters is found only if it stands
 * alone, so that an id of `7` does not redact a part of every year.
 */
export function valuePattern(value: string): string {
  // A run of backslashes is one piece: two adjacent quantifiers would backtrack exponentially.
  const pieces = value.match(/\\+|[^\\]/gu) ?? [];
  const pattern = pieces
    .map((piece, index) => piecePattern(piece, pieces[index - 1]?.startsWith('\\') ?? false))
    .join('');
  return value.length < SHORT ? `(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])` : pattern;
}

function piecePattern(piece: string, isAfterBackslash: boolean): string {
  if (piece.startsWith('\\')) return `(?:${BACKSLASH}|u005c)+`;
  if (ASCII.test(piece) && PLAIN.test(piece)) return piece;
  const notations = [inHtml(piece), inUrl(piece), escapedUnits(piece), piece.replace(SYNTAX, '\\$&')];
  if (piece === ' ') notations.push('\\+');
  return `${isAfterBackslash ? '' : `${BACKSLASH}*`}(?:${notations.join('|')})`;
}

function inHtml(character: string): string {
  const codePoint = character.codePointAt(0) ?? 0;
  const numbers = `#0*${codePoint}|#x0*${codePoint.toString(16)}`;
  const name = ENTITIES[character];
  return `&(?:amp;)*(?:${name === undefined ? numbers : `${name}|${numbers}`});`;
}

function inUrl(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%(?:25)*${byte.toString(16).padStart(2, '0')}`).join('');
}

/** As JSON in ASCII writes it; the caller matches the backslash before the first unit. */
function escapedUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = `u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
    return index === 0 ? unit : `${BACKSLASH}+${unit}`;
  }).join('');
}
