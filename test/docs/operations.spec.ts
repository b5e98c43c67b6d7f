import { describe, expect, it } from '@jest/globals';

import { workerPermissions } from '#messaging/operator';
import type { AttemptResult } from '#platform';

import { registeredMetrics, workerSeries } from '../deploy/prometheus-queries.ts';
import { code, codeSpansOf, documents, read, sourcesOf, tablesWith } from './markdown.ts';

const text = read('docs/operations.md');

/** Every result of a call; the types hold it complete. */
const RESULTS = {
  '2xx': true,
  '3xx': true,
  '4xx': true,
  '5xx': true,
  refused: true,
  unreachable: true,
  certificate: true,
  'client-certificate': true,
  'proxy-unreachable': true,
  'proxy-refused': true,
  'proxy-timeout': true,
  timeout: true,
  reset: true,
  truncated: true,
  malformed: true,
  deadline: true,
  closed: true,
} satisfies Record<AttemptResult, true>;

const metrics = registeredMetrics().filter(({ name }) => name.startsWith('poker_'));

const LOG_CALL =
  /[Ll]ogger\.(debug|info|warn|error)\((?:\s*\{\s*event: '([^']+)')?(?:[^;]*?,\s*)?'([^']+)',?\s*\)/g;

describe('docs/operations.md', () => {
  it('lists every metric once, with its type and labels', () => {
    const documented = tablesWith(text, 'Metric').flatMap(({ rows }) =>
      rows.map(([name, type, labels = '']) => [code(name), type, codeSpansOf(labels).toSorted()]),
    );
    const actual = metrics.map((metric) => [metric.name, metric.type, [...metric.labelNames].toSorted()]);
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });

  it('lists every result of a call to the platform', () => {
    const documented = tablesWith(text, 'Result').flatMap(({ rows }) =>
      rows.flatMap(([results = '']) => codeSpansOf(results)),
    );
    expect(documented.toSorted()).toEqual(Object.keys(RESULTS).toSorted());
  });

  it('lists every line of the log once, with its event and level', () => {
    const documented = tablesWith(text, '`event`').flatMap(({ rows }) =>
      rows.map(([event, level, line]) => [code(level), code(event), code(line)]),
    );
    const actual = sourcesOf('apps/worker/src')
      .flatMap((source) => [...source.text.matchAll(LOG_CALL)])
      .map(([, ...call]) => call);
    expect(documented.toSorted()).toEqual(actual.toSorted());
    expect(new Set(documented.map(([, event]) => event)).size).toBe(documented.length);
  });
});

describe('the permissions in docs/operations.md', () => {
  const [worker, caller] = tablesWith(text, 'User')[0]!.rows.map(([, ...cells]) =>
    cells.map((cell) => cell.slice(1, -1)),
  );

  // test/e2e/callers shows that they are sufficient.
  it('equal those that the command line prints for the worker', () => {
    expect(worker).toEqual(Object.values(workerPermissions('poker')));
  });

  it('cover only its own queues, the commands and the events for a caller', () => {
    const own = ['shop.replies', 'amq.gen-x'];
    const names = [...own, 'poker.commands', 'poker.events', 'poker.reports', 'amq.default'];
    const covered = caller!.map((pattern) => names.filter((name) => new RegExp(pattern).test(name)));
    expect(covered).toEqual([own, [...own, 'poker.commands'], [...own, 'poker.events']]);
  });
});

describe.each(documents())('%s', (path) => {
  it('names metrics that exist', () => {
    // A query names the series of a histogram.
    const names = new Set([...metrics.map(({ name }) => name), ...workerSeries().keys()]);
    // poker_bridge is the library for Python.
    const named = read(path).match(/\bpoker_(?!bridge\b)[a-z_]+/g) ?? [];
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });
});
