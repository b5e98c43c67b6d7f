import { expect, it } from '@jest/globals';
import { languageName } from './language-name.ts';

it.each([
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['pt-BR', 'português (Brasil)'],
  ['qq', undefined],
  ['', undefined],
  ['"><script>', undefined],
])('the language %j is called %j', (code, name) => {
  expect(languageName(code)).toBe(name);
});
