import { describe, expect, it } from '@jest/globals';

import { permissionsOf, workerPermissions } from './permissions.ts';

const EXAMPLES: [caller: string, replyTo: string[] | undefined, own: string][] = [
  ['shop', ['shop.*', 'amq.rabbitmq.reply-to'], 'shop\\.|shop\\.commands$'],
  ['finance', ['month-end'], 'month-end$|finance\\.commands$'],
  ['cashier', undefined, 'cashier\\.|amq\\.gen-|cashier\\.commands$'],
  ['nest', ['amq.rabbitmq.reply-to'], 'nest\\.commands$'],
];

describe('workerPermissions', () => {
  it('cover the names of the service, and the default exchange', () => {
    expect(workerPermissions('poker')).toEqual({
      configure: '^poker\\.',
      write: '^(poker\\.|amq\\.default$)',
      read: '^poker\\.',
    });
  });
});

describe('permissionsOf', () => {
  it.each(EXAMPLES)('of %s with the reply queues %j', (caller, replyTo, own) => {
    expect(permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker')).toEqual({
      configure: `^(${own})`,
      write: `^(${own}|poker\\.commands$)`,
      read: `^(${own})`,
    });
  });

  it.each(EXAMPLES)('let %s with the reply queues %j into nobody else', (caller, replyTo) => {
    const { configure, write, read } = permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker');
    const others = [
      'amq.default',
      'poker.interactive',
      'poker.reports.retry.5000',
      'poker.replies.undelivered',
      'poker.commands.unknown',
      'poker.events',
      'other.replies',
      `other-${caller}.replies`,
    ];
    for (const name of others) {
      for (const pattern of [configure, write, read]) expect(name).not.toMatch(new RegExp(pattern));
    }
    for (const pattern of [configure, read]) expect('poker.commands').not.toMatch(new RegExp(pattern));
  });
});
