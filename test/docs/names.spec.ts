import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, type Lane, LANE_OF_COMMAND } from '#contracts';
import { forwarderLockOf, topologyOf } from '#messaging';
import { SETTINGS } from '#settings';

import { sourcesOf, stringsIn } from './sources.ts';
import { code, codeSpansOf, documents, itemsOf, read, tablesWith } from './markdown.ts';

const RETRY_DELAYS_MS = SETTINGS.REPORTS_RETRY_DELAYS_MS.read(SETTINGS.REPORTS_RETRY_DELAYS_MS.default ?? '');
/** Of queues, and of the broker; no headers of this service. */
const ARGUMENTS =
  /^x-(queue-type|message-ttl|expires|overflow|max-length(-bytes)?|delivery-limit|dead-letter-.*)$/;

const text = read('docs/messages.md');
const { exchanges, queues, names } = topologyOf('poker', RETRY_DELAYS_MS);
const retryQueues = RETRY_DELAYS_MS.map((delayMs) => names.retry(delayMs));

/** The retry queues are one row. */
function rowOf(queue: string): string {
  return retryQueues.includes(queue) ? names.retry('<delay>' as never) : queue;
}

describe('docs/messages.md', () => {
  it('lists every exchange and queue once, with its kind', () => {
    const documented = tablesWith(text, 'Name').flatMap(({ rows }) =>
      rows.map(([name, kind = '']) => [code(name), kind.replace(', lane', '')]),
    );
    const actual = new Map([
      ...exchanges.map(({ name, type }) => [name, `${type} exchange`] as const),
      ...queues.map(({ name }) => [rowOf(name), 'queue'] as const),
    ]);
    expect(documented.toSorted()).toEqual([...actual].toSorted());
  });

  it('lists the arguments of every queue', () => {
    const documented = itemsOf(text)
      .filter(({ heading }) => heading === 'Names on the bus')
      .flatMap(({ text: of, items }) => codeSpansOf(of).map((queue) => [queue, items] as const));
    const argumentsIn = (queue: string): string[] =>
      ['x-queue-type: quorum', ...(new Map(documented).get(queue) ?? []).flatMap(codeSpansOf)].toSorted();
    expect(documented.map(([queue]) => queue).toSorted()).toEqual(
      [...new Set(queues.map(({ name }) => rowOf(name)))].toSorted(),
    );
    for (const { name, arguments: args } of queues) {
      const isRetry = retryQueues.includes(name);
      const actual = Object.entries(args).map(([key, value]) => {
        const isDelay = isRetry && key === 'x-message-ttl';
        return `${key}: ${isDelay ? '<delay>' : value === '' ? '(empty)' : String(value)}`;
      });
      expect([name, argumentsIn(rowOf(name))]).toEqual([name, actual.toSorted()]);
    }
  });

  it('says how long a message waits in a retry queue, which does not expire', () => {
    for (const [index, delayMs] of RETRY_DELAYS_MS.entries()) {
      const queue = queues.find(({ name }) => name === retryQueues[index]);
      expect(queue?.arguments).toMatchObject({ 'x-message-ttl': delayMs });
      expect(queue?.arguments).not.toHaveProperty('x-expires');
    }
  });

  it('says which lane serves which command', () => {
    const lanes = tablesWith(text, 'Command').flatMap(({ rows }) =>
      rows.map(([type = '', lane]) => [codeSpansOf(type)[0], names.lanes[lane as Lane]]),
    );
    const actual = COMMAND_TYPES.map((type) => [type, names.lanes[LANE_OF_COMMAND[type]]]);
    expect(lanes.toSorted()).toEqual(actual.toSorted());
  });

  it('describes every header that begins with x-, and no other', () => {
    const isHeader = (name: string) => name.startsWith('x-') && !ARGUMENTS.test(name);
    const documented = codeSpansOf(text)
      .map((span) => span.replace(/:.*/, ''))
      .filter(isHeader);
    const used = ['libs/messaging/src', 'libs/rabbitmq/src']
      .flatMap(sourcesOf)
      .flatMap(({ text: source }) => stringsIn(source));
    // The broker's own, which no code of ours names.
    const actual = new Set([...used.filter(isHeader), 'x-death']);
    expect([...new Set(documented)].toSorted()).toEqual([...actual].toSorted());
  });
});

describe.each(documents())('%s', (path) => {
  it('names exchanges, queues and events that exist', () => {
    const known = new Set([
      names.reserved,
      ...exchanges.map(({ name }) => name),
      ...queues.map(({ name }) => rowOf(name)),
      forwarderLockOf(names).name,
    ]);
    const named = codeSpansOf(read(path)).filter((span) => /^poker\.[\w.<>-]*$/.test(span));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
