const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\u0007',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\u001b',
};
const ANSI_CODE = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/;

/**
 * The words of a line as a shell reads it: quotes of all kinds, `$'…'` among them, backslashes and continued lines.
 * Variables are not replaced, and the line ends at a pipe, a redirection or a semicolon.
 *
 * @throws Error if a quote is not closed
 */
export function shellWords(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const append = (text: string): void => void (word = (word ?? '') + text);
  while (at < line.length) {
    const character = line.charAt(at);
    const next = line.charAt(at + 1);
    if (/[|;<>&]/.test(character)) break;
    if (character === '\\') {
      if (next !== '\n' && !(next === '\r' && line.charAt(at + 2) === '\n')) append(next);
      at += next === '\r' ? 3 : 2;
    } else if (character === "'" || character === '"' || (character === '$' && next === "'")) {
      const kind = character === '$' ? "$'" : character;
      const { text, end } = quoted(line, at + kind.length, kind);
      append(text);
      at = end;
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
    } else {
      append(character);
      at += 1;
    }
  }
  return word === undefined ? words : [...words, word];
}

function quoted(line: string, start: number, kind: string): { text: string; end: number } {
  const close = kind.slice(-1);
  let text = '';
  for (let at = start; at < line.length;) {
    const character = line.charAt(at);
    if (character === close) return { text, end: at + 1 };
    const escape = character === '\\' ? escaped(line.slice(at + 1, at + 10), kind) : undefined;
    text += escape?.text ?? character;
    at += 1 + (escape?.length ?? 0);
  }
  throw new Error('has a quote that is not closed');
}

/** What a backslash and the text after it stand for; undefined if the backslash stands for itself. */
function escaped(rest: string, kind: string): { text: string; length: number } | undefined {
  const [next = ''] = rest;
  if (kind === "'" || next === '') return undefined;
  if (kind === '"') {
    if (next === '\n') return { text: '', length: 1 };
    return /["\\$`]/.test(next) ? { text: next, length: 1 } : undefined;
  }
  const [whole, ...digits] = ANSI_CODE.exec(rest) ?? [];
  if (whole !== undefined) {
    const octal = digits[3];
    const code =
      octal === undefined ? Number.parseInt(digits.find(Boolean) ?? '', 16) : Number.parseInt(octal, 8);
    return { text: String.fromCodePoint(code), length: whole.length };
  }
  return { text: ANSI[next] ?? next, length: 1 };
}
