import { describe, expect, it } from '@jest/globals';

import { readCallers } from './read-callers.ts';
import { faultsOf, reading } from './settings.fixture.ts';

const read = (file: unknown) =>
  readCallers('callers.json', () => (typeof file === 'string' ? file : JSON.stringify(file)));

describe('readCallers', () => {
  it('reads the permissions of each caller', () => {
    const replyTo = ['shop.*', 'amq.rabbitmq.reply-to'];
    const shop = { operators: ['acme'], commands: ['session.create'], replyTo };
    expect([...read({ callers: { shop, '*': {} } })]).toEqual([
      ['shop', { operators: new Set(['acme']), commands: new Set(['session.create']), replyTo }],
      ['*', {}],
    ]);
  });

  it.each([
    ['that is not JSON', '{', 'is not JSON'],
    ['without callers', {}, '"callers" must be an object'],
    ['with a further member', { callers: {}, caller: {} }, 'unknown member "caller"'],
    ['with a caller that is not an object', { callers: { shop: true } }, '"shop" must be an object'],
    ['with a wrong member', { callers: { s: { operator: [] } } }, '"s" has an unknown member "operator"'],
    ['with one operator', { callers: { shop: { operators: 'a' } } }, '"shop": operators must be a list'],
    ['with an unknown command', { callers: { s: { commands: ['a.close'] } } }, '"a.close" is not a command'],
    ['with a caller twice', '{"callers":{"shop":{}, "\\u0073hop" :{}}}', 'names "shop" twice in one object'],
    [
      'with a member twice',
      '{"callers":{"a":{"operators":[]},"shop":{"operators":["a"],"operators":["b"]}}}',
      'names "operators" twice',
    ],
    [
      'with a * within a name',
      { callers: { shop: { replyTo: ['*.shop'] } } },
      '* is only allowed at the end',
    ],
  ])('rejects a file %s', (_, file, reason) => {
    const [fault] = faultsOf(() => read(file));
    expect(fault).toMatch(/^CALLERS_FILE: /);
    expect(fault).toContain(reason);
  });

  it('accepts a name that occurs once in each object, and repeated names inside a string', () => {
    const text = '{"callers":{"shop":{"operators":["a\\":1,\\"a\\":2"]},"operators":{"operators":["x"]}}}';
    expect([...read(text).keys()]).toEqual(['shop', 'operators']);
  });

  it('reports why a file cannot be read', () => {
    const faults = faultsOf(() => readCallers('callers.json', reading({})));
    expect(faults).toEqual(['CALLERS_FILE: cannot be read (ENOENT)']);
  });
});
