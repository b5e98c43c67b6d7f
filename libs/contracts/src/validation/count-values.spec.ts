import { expect, it } from '@jest/globals';

import { excessIn, MAX_COMMAND_VALUES } from './count-values.ts';

it.each([
  ['{"a":[{},{},[]],"b":{"c":1}}', 10, '"b"'],
  [String.raw`["a,[{\"\\","\\\"[",2]`, 4, '""'],
])('counts the commas and opening brackets of %s outside strings', (json, values, member) => {
  // Shorter JSON cannot contain that many values, so it is not scanned.
  const bytes = Buffer.from(json.padEnd(MAX_COMMAND_VALUES));
  expect([excessIn(bytes, values), excessIn(bytes, values - 1)]).toEqual([undefined, member]);
});

it.each(['{}', '[]', '1', '[[]]', '[[],1]'])(
  'takes a command with as many %s as launch options may have',
  (item) => {
    const data = (count: number) => ({
      player: {},
      session: { launchOptions: { a: Array(count).fill(JSON.parse(item)) } },
    });
    const most = Math.floor((8192 - '{"a":[]}'.length + 1) / (item.length + 1));
    const bytes = Buffer.from(JSON.stringify(data(most)));
    expect(excessIn(bytes, MAX_COMMAND_VALUES)).toBeUndefined();
    expect(excessIn(Buffer.from(JSON.stringify(data(8 * most))), MAX_COMMAND_VALUES)).toBe('"session"');
  },
);
