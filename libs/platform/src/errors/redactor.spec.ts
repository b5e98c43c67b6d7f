import { describe, expect, it } from '@jest/globals';

import { Redactor } from './redactor.ts';

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Notations in which a platform or a proxy may embed a text. */
const NOTATIONS: readonly ((text: string) => string)[] = [
  (text) => JSON.stringify(text).slice(1, -1),
  (text) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replaceAll('/', '\\/')
      .replace(/[^ -~]/g, escaped),
  encodeURIComponent,
  (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  (text) => text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character).replaceAll("'", '&#39;'),
];

describe('Redactor', () => {
  it.each<[string, unknown, string, string]>([
    [
      'values at any depth, in any letter case',
      [{ player: { id: 'Player-1', list: ['deep', 4711] } }, 'secret'],
      'PLAYER-1, deep 4711 and Secret',
      '***, *** *** and ***',
    ],
    [
      'a short value only if it stands alone',
      ['7', 'x', 12],
      '7 of 2027, x in text, 12 or 120',
      '*** of 2027, *** in text, *** or 120',
    ],
    ['any signature', [], `expected ${'aB'.repeat(32)}`, 'expected ***'],
    ['a value at the cut', 'the value', `${'.'.repeat(299)}the value`, `${'.'.repeat(299)}*`],
    ['half a character at the cut', 'x', `${'.'.repeat(299)}🂡`, '.'.repeat(299)],
    ['a text with more values than a command has', [...Array(101).keys()], 'harmless', '***'],
    ['a text beside a value that is longer than any', 'x'.repeat(513), `no ${'x'.repeat(513)}`, '***'],
    ['what a launch option holds', { launchOptions: ' {"a":"https://op/"}' }, 'see https://op/', 'see ***'],
    ['a value that was trimmed', ' Ace ', 'Ace is taken', '*** is taken'],
    [
      'nothing of a text that is written oddly',
      'the id',
      'C:\\new %41 &amp; \\u0041 100%',
      'C:\\new %41 &amp; \\u0041 100%',
    ],
    ['a text that repeats a value in another notation', 'the id', 'no "the%20id" here', '***'],
    ['a text that was escaped too often to be honest', 'harmless', `%${'25'.repeat(20)}41`, '***'],
    ['values that overlap', ['abc', 'bcd', 'cde'], 'xabcdex', 'x***x'],
    ['a value within another one', ['player-1', 'player-12'], 'player-12', '***'],
    ['the end of a value that another one hides', ['abab!', 'bac'], 'ababac', 'aba***'],
  ])('redacts %s', (_what, values, text, expected) => {
    expect(new Redactor(values).redact(text)).toBe(expected);
  });

  it.each([
    ['cur', '/data/attributes/currency', '/data/attributes/currency'],
    ['attributes', '/data/attributes/0', '/data/attributes/***'],
    ['cur', '/data/recurring/auth-type', '/data/***/auth-type'],
    ['none', '/data/recurring/0', '/data/recurring/0'],
    ['a/b', '/data/xa/bx/nick', '/data/***/***/nick'],
    ['a/b~c', '/data/a~1b~0c/nick', '/data/***/nick'],
    ['Ace', 'Ace is taken', '***'],
  ])('leaves only names of the interface in a pointer with a value: %s in %s', (value, pointer, expected) => {
    expect(new Redactor(value).redactPointer(pointer)).toBe(expected);
  });

  it('omits further texts of an answer once the comparison limit is reached', () => {
    const redactor = new Redactor('v'.repeat(500));
    const texts = Array.from({ length: 60 }, () => redactor.redact('x'.repeat(8_000)));
    expect(texts[0]).toBe('x'.repeat(300));
    expect(texts.at(-1)).toBe('***');
  });

  it('finds a value in any letter case and in up to three nested notations', () => {
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T;
    const characters = [...'aZ7 +%&"\'<>\\/=;#uäß🂡25ǊﬁİΣſ𐐉𝼎K\ufffd'];
    const cases = [(text: string) => text.toUpperCase(), (text: string) => text.toLowerCase(), String];
    for (let round = 0; round < 3_000; round += 1) {
      const value = `x${Array.from({ length: 3 + random(12) }, () => pick(characters)).join('')}y`;
      const notations = Array.from({ length: random(4) }, () => pick(NOTATIONS));
      const written = notations.reduce((text, notation) => notation(text), pick(cases)(value));
      const redacted = new Redactor(value).redact(`(${written})`).replace(/^\(\*\*\*\)$/, '***');
      expect({ value, written, redacted }).toEqual({ value, written, redacted: '***' });
    }
  });

  it.each([
    ['many values', Array.from({ length: 100 }, (_, n) => `${'äß"&'.repeat(10)}${n}`), 'äß"&'.repeat(2000)],
    ['escaped quotes', [`${'\\"'.repeat(100)}!`], '\\\\\\\\"'.repeat(1600)],
    ['percent signs', [`${'%25'.repeat(80)}!`], '%25252525'.repeat(900)],
    ['runs of both', Array.from({ length: 99 }, (_, index) => `\\"${index}\\`), '\\%5C'.repeat(2_000)],
    ['values within values', Array.from({ length: 100 }, (_, n) => 'a'.repeat(n + 3)), 'a'.repeat(8_000)],
  ])('redacts a text within one second: %s', (_name, values, text) => {
    const used = process.threadCpuUsage();
    new Redactor(values).redact(text);
    // CPU time, so that a busy machine does not affect the result.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(1_000);
  });

  it('finds every Unicode letter in upper and lower case', () => {
    const missed: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10_ff_ff; codePoint += 1) {
      const letter = String.fromCodePoint(codePoint);
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other !== letter && new Redactor(`id ${letter}`).redact(`id ${other}`) !== '***')
          missed.push(letter);
      }
    }
    expect(missed).toEqual([]);
  });
});
