import { describe, expect, it } from '@jest/globals';

import { validateCommand } from './validate-command.ts';
import { COMPLETE, violationsOf } from './validate-command.fixture.ts';

const KIB = 1024;
const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`;

const VALID: Record<string, string> = {
  'an empty object': '{}',
  'any JSON but unsafe numbers': '{"a":[1,"b",true,false,null,{"c":[]}],"d":{"e":null}}',
  'the ends of the safe integers': '{"a":9007199254740991,"b":-9007199254740991,"c":-0,"d":1e3}',
  'names of Object.prototype': '{"__proto__":{"a":1},"constructor":null,"toString":0}',
  'names that are nearly numbers': '{"1a":1,"1.5.":1,"1e":1,"+":1,"0x1":1,"":1,"-":1,".":1,"1 2":1}',
  '8 KiB': ofBytes(8 * KIB),
  '512 levels': nested(512),
  'text beyond ASCII': '{"ключ":"значение","😀":"😀"}',
};

const NO_OBJECT = 'must be an object, or a string that holds a JSON object';
const SIZE = 'must be at most 8 KiB of JSON';
const NUMBER = 'must hold no numbers but integers from -9007199254740991 to 9007199254740991';
const NAME = 'must not be a name here: PHP compares it as a number';
const CHARACTERS = 'must hold no control characters and no lone surrogates';
const DEPTH = 'must not be nested deeper than 512 levels';

const INVALID: Record<string, readonly [json: string, message: string]> = {
  'a list': ['[]', NO_OBJECT],
  'a fraction': ['{"a":1.5}', NUMBER],
  'an integer above 2^53 − 1': ['{"a":9007199254740992}', NUMBER],
  'a number that is infinite once read': ['{"a":[{"b":1e400}]}', NUMBER],
  'a control character in a value': ['{"a":["\\u0007"]}', CHARACTERS],
  'a lone surrogate in a name': ['{"\\udc00":1}', CHARACTERS],
  'one byte above 8 KiB': [ofBytes(8 * KIB + 1), SIZE],
  '8 KiB of characters of two bytes': [`{"a":"${'é'.repeat(4 * KIB)}"}`, SIZE],
  '513 levels': [nested(513), DEPTH],
};

const withOptions = (launchOptions: unknown) =>
  violationsOf('game.open', { ...COMPLETE['game.open'], session: { launchOptions } });
const fault = (message: string) => [{ pointer: '/session/launchOptions', message }];

describe.each([
  { form: 'an object', given: (json: string): unknown => JSON.parse(json) },
  { form: 'a string of JSON', given: (json: string): unknown => json },
])('launch options as $form', ({ given }) => {
  it.each(Object.entries(VALID))('may be %s', (_name, json) => expect(withOptions(given(json))).toEqual([]));

  it.each(Object.entries(INVALID))('may not be %s', (_name, [json, message]) => {
    expect(withOptions(given(json))).toEqual(fault(message));
  });

  it('are rejected at any depth without being traversed', () => {
    const [violation] = withOptions(given(nested(10_000)));
    expect([DEPTH, SIZE]).toContain(violation?.message);
  });
});

it.each(['7', '-7', '007', '10.5', '5.', '.5', '1e3', '-1E+3', '+10', ' 10', '10 '])(
  'launch options may not have a member named %j, which PHP compares as a number',
  (name) => {
    expect(withOptions({ 'a/b': [{ [name]: 1 }] })).toEqual([
      { pointer: `/session/launchOptions/a~1b/0/${name}`, message: NAME },
    ]);
  },
);

describe('launch options as a string', () => {
  it.each(['', ' ', 'a', '{', "{'a':1}", '{"a":1,}', 'null', '1', 'true', '"{}"', '[{}]', '\ufeff{}'])(
    'are refused if %j holds no object',
    (text) => {
      expect(withOptions(text)).toEqual(fault(NO_OBJECT));
    },
  );

  it.each(['{\n}', '{"a":"\u0000"}', '{"a":"\ud800"}'])('must not contain control characters: %j', (text) => {
    expect(withOptions(text)).toEqual(fault(CHARACTERS));
  });

  it('are also limited by their serialized size', () => {
    const short = `{"a":[${Array(1500).fill('1e15').join(',')}]}`;
    expect(Buffer.byteLength(short)).toBeLessThan(8 * KIB);
    expect(withOptions(short)).toEqual(fault(SIZE));
  });
});

it('keeps long launch options as text to save memory', () => {
  const launchOptions = { list: Array.from({ length: 500 }, () => ({})) };
  const { session } = validateCommand('game.open', { player: { id: 'p' }, session: { launchOptions } });
  expect(session?.launchOptions).toBe(JSON.stringify(launchOptions));
});
