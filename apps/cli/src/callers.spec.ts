import { describe, expect, it } from '@jest/globals';

import { workerPermissions } from '#messaging/client';

import { permissionsOf } from './callers.ts';

const RULES: [caller: string, replyTo: string[] | undefined, own: string[]][] = [
  ['shop', ['shop.*', 'amq.rabbitmq.reply-to'], ['shop.replies']],
  ['finance', ['month-end'], ['month-end']],
  ['cashier', undefined, ['cashier.replies', 'amq.gen-x']],
  ['nest', ['amq.rabbitmq.reply-to'], []],
];
/** Rules that go beyond what a caller may have. */
const GREEDY: typeof RULES = [
  ['shop', ['*'], ['anything', 'amq.gen-x']],
  ['shop', ['p*', 'am*'], ['payments']],
  ['shop', ['poker.*', 'poker.replies', 'amq.default'], []],
  ['poker', undefined, []],
  ['poker.shop', ['amq.*'], []],
];
const OF_OTHERS =
  'commands.unknown interactive reports reports.retry.5000 quarantine dead-letters replies.undelivered events'
    .split(' ')
    .map((name) => `poker.${name}`);
const OF_BROKER = ['amq.default', 'amq.topic', 'amq.rabbitmq.trace'];

describe('permissionsOf', () => {
  it.each([...RULES, ...GREEDY])(
    'lets %s with the reply queues %j into these alone',
    (caller, replyTo, own) => {
      const permissions = permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker');
      const patterns = Object.values(permissions).map((pattern: string) => new RegExp(pattern));
      const names = [...OF_OTHERS, ...OF_BROKER, `other-${caller}.replies`, 'other.replies'];
      const isGreedy = GREEDY.some(([, rules]) => rules === replyTo);
      for (const name of isGreedy ? names.slice(0, -2) : names) {
        for (const pattern of patterns) expect(name).not.toMatch(pattern);
      }
      for (const name of own) for (const pattern of patterns) expect(name).toMatch(pattern);
      expect('poker.commands').toMatch(new RegExp(permissions.write));
      expect('poker.commands').not.toMatch(new RegExp(permissions.read));
      if (!caller.startsWith('poker'))
        expect(`${caller}.commands`).toMatch(new RegExp(permissions.configure));
    },
  );

  it('gives the worker the names of the service, and the default exchange', () => {
    expect(workerPermissions('poker')).toEqual({
      configure: '^poker\\.',
      write: '^(poker\\.|amq\\.default$)',
      read: '^poker\\.',
    });
  });
});
