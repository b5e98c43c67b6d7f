import { describe, expect, it } from '@jest/globals';

import { busNames } from '#contracts';

import { workerPermissions } from '#messaging/client';

import { permissionsOf } from './permissions.ts';

const EXAMPLES: [caller: string, replyTo: string[] | undefined, own: string][] = [
  ['shop', ['shop.*', 'amq.rabbitmq.reply-to'], 'shop\\.|shop\\.commands$'],
  ['finance', ['month-end'], 'month-end$|finance\\.commands$'],
  ['cashier', undefined, 'cashier\\.|amq\\.gen-|cashier\\.commands$'],
  ['nest', ['amq.rabbitmq.reply-to'], 'nest\\.commands$'],
];
const OTHERS = '(?!poker\\.|amq\\.(?!gen-))';
/** What the rules say goes beyond what a caller may have. */
const GREEDY: [caller: string, replyTo: string[] | undefined, own: string][] = [
  ['shop', ['*'], `${OTHERS}(|shop\\.commands$)`],
  ['shop', ['p*', 'am*'], `${OTHERS}(p|am|shop\\.commands$)`],
  [
    'shop',
    ['poker.*', 'poker.replies', 'amq.default'],
    `${OTHERS}(poker\\.|poker\\.replies$|amq\\.default$|shop\\.commands$)`,
  ],
  ['poker', undefined, `${OTHERS}(poker\\.|amq\\.gen-|poker\\.commands$)`],
  ['poker.shop', ['amq.*'], `${OTHERS}(amq\\.|poker\\.shop\\.commands$)`],
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
  it.each([...EXAMPLES, ...GREEDY])('of %s with the reply queues %j', (caller, replyTo, own) => {
    expect(permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker')).toEqual({
      configure: `^(${own})`,
      write: `^(${own}|poker\\.commands$)`,
      read: `^(${own})`,
    });
  });

  it.each([...EXAMPLES, ...GREEDY])(
    'of %s with the reply queues %j are none on what belongs to the service or the broker',
    (caller, replyTo) => {
      const { configure, write, read } = permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker');
      const service = Object.values(busNames()).flatMap((name: unknown) =>
        typeof name === 'string' ? [name] : typeof name === 'object' ? Object.values(name as object) : [],
      ) as string[];
      const names = [
        ...service,
        'poker.reports.retry.5000',
        'amq.default',
        'amq.topic',
        'amq.rabbitmq.trace',
      ];
      for (const name of names) {
        for (const pattern of [configure, read]) expect(name).not.toMatch(new RegExp(pattern));
        if (name !== 'poker.commands') expect(name).not.toMatch(new RegExp(write));
      }
      expect('poker.commands').toMatch(new RegExp(write));
    },
  );

  it.each(EXAMPLES)('let %s with the reply queues %j into nobody else', (caller, replyTo) => {
    const { configure, write, read } = permissionsOf(caller, replyTo ? { replyTo } : {}, 'poker');
    const others = ['other.replies', `other-${caller}.replies`];
    for (const name of others) {
      for (const pattern of [configure, write, read]) expect(name).not.toMatch(new RegExp(pattern));
    }
  });
});
