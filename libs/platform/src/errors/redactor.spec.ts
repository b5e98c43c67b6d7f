import { describe, expect, it } from '@jest/globals';

import { Redactor } from './redactor.ts';

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Ways in which a platform or a proxy writes a text into another one. */
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
  it('redacts values at any depth, in any letter case', () => {
    const redactor = new Redactor([{ player: { id: 'Player-1', list: ['deep', 4711] } }, 'secret']);
    expect(redactor.redact('PLAYER-1, deep 4711 and Secret')).toBe('***, *** *** and ***');
  });

  it.each([
    [
      'a value within a name of the interface',
      'cur',
      '/data/attributes/currency',
      '/data/attributes/currency',
    ],
    ['a value that is a name of the interface', 'attributes', '/data/attributes/0', '/data/attributes/0'],
    ['a value within another segment', 'cur', '/data/recurring/auth-type', '/data/***/auth-type'],
    ['a value over several segments', 'a/b', '/data/xa/bx/nick', '/data/***/***/nick'],
    ['a value escaped as a pointer', 'a/b~c', '/data/a~1b~0c/nick', '/data/***/nick'],
    ['a value at the end', '4711', 'x/4711', 'x/***'],
    ['no pointer at all', 'Ace', 'Ace is taken', '***'],
  ])(
    'redacts a pointer by whole segments, and keeps the names of the interface: %s',
    (_, value, pointer, expected) => {
      expect(new Redactor(value).redactPointer(pointer)).toBe(expected);
    },
  );

  it('finds a short value only if it stands alone', () => {
    const redactor = new Redactor(['7', 'x', 12]);
    expect(redactor.redact('7 of 2027, x in text, 12 or 120')).toBe('*** of 2027, *** in text, *** or 120');
  });

  it('redacts any signature', () => {
    expect(new Redactor([]).redact(`expected ${'aB'.repeat(32)}`)).toBe('expected ***');
  });

  it('cuts at 300 characters, after it has redacted', () => {
    const redactor = new Redactor('the value');
    expect(redactor.redact(`${'.'.repeat(297)}the value`)).toBe(`${'.'.repeat(297)}***`);
    expect(redactor.redact(`${'.'.repeat(299)}the value`)).toBe(`${'.'.repeat(299)}*`);
    expect(redactor.redact(`${'.'.repeat(299)}🂡`)).toBe('.'.repeat(299));
  });

  it('redacts the whole text if there is too much to find', () => {
    expect(new Redactor(Array.from({ length: 101 }, (_, index) => `value ${index}`)).redact('harmless')).toBe(
      '***',
    );
    expect(new Redactor('v'.repeat(255)).redact('v'.repeat(20_000))).toBe('***');
  });

  it('finds the values in launch options given as a string', () => {
    const redactor = new Redactor({ launchOptions: '{"restoreSessionUrl":"https://op.example/"}' });
    expect(redactor.redact('see https://op.example/')).toBe('see ***');
    expect(redactor.redact('{"restoreSessionUrl":"https://op.example/"}')).toBe('***');
  });

  it('leaves the text around a value as it was written', () => {
    const redactor = new Redactor('the id');
    expect(redactor.redact('C:\\new %41 &amp; "the%20id" \\u0041 100%')).toBe(
      'C:\\new %41 &amp; "***" \\u0041 100%',
    );
  });

  it('leaves out what was escaped too often to be honest', () => {
    expect(new Redactor('harmless').redact(`%${'25'.repeat(20)}41`)).toBe('***');
  });

  it('leaves out the texts of an answer once they have cost as much as they may', () => {
    const redactor = new Redactor('v'.repeat(500));
    const texts = Array.from({ length: 60 }, () => redactor.redact('x'.repeat(8_000)));
    expect(texts[0]).toBe('x'.repeat(300));
    expect(texts.at(-1)).toBe('***');
  });

  it('finds any value in any letter case and any three notations, one in the other', () => {
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
      const redacted = new Redactor(value).redact(`(${written})`);
      expect({ value, written, redacted }).toEqual({ value, written, redacted: '(***)' });
    }
  });

  it.each([
    [
      'many values',
      Array.from({ length: 100 }, (_, index) => `${'äß"&'.repeat(10)}${index}`),
      'äß"&'.repeat(2000),
    ],
    ['backslashes', ['\\'.repeat(255)], `${'\\'.repeat(8000)}x`],
    ['escaped quotes', [`${'\\"'.repeat(100)}!`], '\\\\\\\\"'.repeat(1600)],
    ['quotes', [`${'"'.repeat(200)}!`], '\\\\\\\\"'.repeat(1600)],
    ['ampersands', [`${'&amp;'.repeat(50)}!`], '&amp;amp;amp;'.repeat(600)],
    ['percent signs', [`${'%25'.repeat(80)}!`], '%25252525'.repeat(900)],
    ['URLs of backslashes', [`${'\\'.repeat(250)}x`], '%5C'.repeat(2_700)],
    ['runs of both', Array.from({ length: 99 }, (_, index) => `\\"${index}\\`), '\\%5C'.repeat(2_000)],
    [
      'values within values',
      Array.from({ length: 100 }, (_, index) => 'a'.repeat(index + 3)),
      'a'.repeat(8_000),
    ],
    ['pairs of units', [`${'🂡'.repeat(100)}!`], '\\\\ud83c\\\\udca1'.repeat(500)],
  ])('is not made slow by %s', (_name, values, text) => {
    const used = process.threadCpuUsage();
    new Redactor(values).redact(text);
    // Processor time, so that a busy machine changes nothing.
    expect(process.threadCpuUsage(used).user / 1_000).toBeLessThan(1_000);
  });

  it('finds values that overlap, and values within others', () => {
    expect(new Redactor(['abc', 'bcd', 'cde']).redact('xabcdex')).toBe('x***x');
    expect(new Redactor(['player-1', 'player-12']).redact('player-12')).toBe('***');
    expect(new Redactor(['abab!', 'bac']).redact('ababac')).toBe('aba***');
  });

  it('finds every letter of Unicode in each of its cases', () => {
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
