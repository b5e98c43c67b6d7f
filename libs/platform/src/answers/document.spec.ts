import { expect, it } from '@jest/globals';

import { isInteger, parseBody } from './document.ts';

it.each([
  ['28831', true],
  ['-0', true],
  ['1e3', true],
  ['12345678901234567890', true],
  ['1e30', false],
  ['12345678901234567890.5', false],
  ['0.5', false],
  ['"1"', false],
  ['null', false],
  ['{"rawJSON":"1"}', false],
])('%s is an integer of a document: %s', (text, expected) => {
  expect(isInteger(parseBody(text))).toBe(expected);
});
