import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, ERROR_CODES, type Lane, LANE_OF_COMMAND } from '#contracts';
import { lockOf, probeOf, topologyOf } from '#messaging';
import { SETTINGS } from '#settings';

import { WHO_ACTS } from '../../apps/worker/src/who-acts.ts';
import { code, codeSpansOf, documents, itemsOf, read, sourcesOf, stringsIn, tablesWith } from './markdown.ts';

describe('names', () => {
  const RETRY_DELAYS_MS = SETTINGS.REPORTS_RETRY_DELAYS_MS.read(
    SETTINGS.REPORTS_RETRY_DELAYS_MS.default ?? '',
  );
  /** Arguments of queues and properties of the broker; no headers of this service. */
  const ARGUMENTS =
    /^x-(queue-type|priority|consumer-timeout|message-ttl|expires|overflow|max-length(-bytes)?|delivery-limit|dead-letter-.*)$/;

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

    it('says which lane serves which command', () => {
      const lanes = tablesWith(text, 'Command').flatMap(({ rows }) =>
        rows.map(([type = '', lane]) => [codeSpansOf(type)[0], names.lanes[lane as Lane]]),
      );
      const actual = COMMAND_TYPES.map((type) => [type, names.lanes[LANE_OF_COMMAND[type]]]);
      expect(lanes.toSorted()).toEqual(actual.toSorted());
    });

    it('describes every header that begins with x-, and no other', () => {
      const isHeader = (name: string) => /^x-\w/.test(name) && !ARGUMENTS.test(name);
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
        lockOf(names, 'undelivered').name,
        probeOf(names).name,
      ]);
      const named = codeSpansOf(read(path)).filter((span) => /^poker\.[\w.<>-]*$/.test(span));
      expect(named.filter((name) => !known.has(name))).toEqual([]);
    });
  });
});

describe('traces', () => {
  const ATTRIBUTE = /'((?:messaging|pokerbridge|http|server|url|error)\.[a-z_.]+)'/g;

  it('docs/traces.md lists every attribute of a span once', () => {
    const documented = tablesWith(read('docs/traces.md'), 'Attribute').flatMap(({ rows }) =>
      rows.flatMap(([names = '']) => codeSpansOf(names)),
    );
    const sources = sourcesOf('apps/worker/src/traces').map(({ text }) => text);
    const actual = new Set(sources.flatMap((text) => [...text.matchAll(ATTRIBUTE)].map(([, name]) => name)));
    expect(documented.toSorted()).toEqual([...actual].toSorted());
  });
});

describe('errors', () => {
  const text = read('docs/errors.md');
  /** `CODE` (retryable): when it is the answer → what to do. */
  const CODE = /^`([A-Z_]+)`( \(retryable\))?: .+ → .+$/;
  const entries = itemsOf(text).flatMap(({ heading, text: item }) => {
    const [found, name = '', retryable] = CODE.exec(item) ?? [];
    return found === undefined ? [] : [{ name, category: heading, retryable: retryable !== undefined }];
  });

  describe('docs/errors.md', () => {
    it('lists every code once, under its category, with what to do, and says whether it is retryable', () => {
      const documented = entries.map(({ name, category, retryable }) => [name, { category, retryable }]);
      const actual = Object.entries(ERROR_CODES).map(([name, { category, retryable }]) => [
        name,
        { category, retryable },
      ]);
      expect(documented.toSorted()).toEqual(actual.toSorted());
    });

    it('explains every category', () => {
      const explained = tablesWith(text, 'Category').flatMap((table) =>
        table.rows.map(([name]) => code(name)),
      );
      const categories = new Set(Object.values(ERROR_CODES).map(({ category }) => category));
      expect(explained.toSorted()).toEqual([...categories].toSorted());
    });

    it('says who acts as the console does', () => {
      const rows = tablesWith(text, 'Category').flatMap((table) => table.rows);
      expect(Object.fromEntries(rows.map(([name, whoActs]) => [code(name), whoActs]))).toEqual(WHO_ACTS);
    });

    it('names only existing codes among the details', () => {
      const cells = tablesWith(text, 'Member').flatMap((table) => table.rows.map(([, codes = '']) => codes));
      const named = cells.flatMap(codeSpansOf);
      expect(named.filter((name) => !(name in ERROR_CODES))).toEqual([]);
    });
  });
});
