import { describe, expect, it } from '@jest/globals';

import { COMMAND_TYPES, CommandError, type CommandType, type Violation } from '#contracts';
import { REPLIES, validateCommand } from '#contracts/validation';
import { type AttemptResult, OPERATIONS } from '#platform';
import { Metrics } from '#telemetry';

import { workerSeries } from '../deploy/prometheus-queries.ts';
import { code, codeSpansOf, documents, fencesOf, read, sourcesOf, tablesWith } from './markdown.ts';

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

/** What prom-client knows of a metric and does not type, or types otherwise. */
interface Registered {
  readonly name: string;
  readonly type: string;
  readonly labelNames: readonly string[];
}

const { registry } = new Metrics();
const metrics = registry
  .getMetricsAsArray()
  .map((metric) => metric as unknown as Registered)
  .filter(({ name }) => name.startsWith('poker_'));

const LOG_CALL = /[Ll]ogger\.(debug|info|warn|error)\((?:[^;]*?,\s*)?'([^']+)',?\s*\)/g;

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

  it('can call an operation a command type', () => {
    expect([...OPERATIONS].toSorted()).toEqual([...COMMAND_TYPES].toSorted());
  });

  it('lists every line of the log once, with its level', () => {
    const documented = tablesWith(text, 'Line (`msg`)').flatMap(({ rows }) =>
      rows.map(([line, level]) => [code(line), code(level)]),
    );
    const actual = sourcesOf('apps/worker/src')
      .flatMap((source) => [...source.text.matchAll(LOG_CALL)])
      .map(([, level, line]) => [line, level]);
    expect(documented.toSorted()).toEqual(actual.toSorted());
  });
});

describe.each(documents())('%s', (path) => {
  it('names metrics that exist', () => {
    // Of a histogram, a query names its series.
    const names = new Set([...metrics.map(({ name }) => name), ...workerSeries().keys()]);
    // poker_bridge is the library for Python.
    const named = read(path).match(/\bpoker_(?!bridge\b)[a-z_]+/g) ?? [];
    expect(named.filter((name) => !names.has(name))).toEqual([]);
  });
});

const membersText = read('docs/messages.md');

interface Member {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
}

/** Not a member of a member. */
const isOutermost = ({ name }: Member): boolean => !/[.[]/.test(name);

/** What a section of the document says of its members. */
function membersDocumented(section: string): readonly Member[] {
  return tablesWith(membersText, 'Member')
    .filter(({ heading }) => heading === `\`${section}\``)
    .flatMap(({ rows }) => rows)
    .map(([name, type = '', required]) => ({ name: code(name), type, isRequired: required === 'yes' }));
}

function violationsOf(type: CommandType, data: unknown): readonly Violation[] {
  try {
    validateCommand(type, data);
    return [];
  } catch (error) {
    return (error as CommandError).violations ?? [];
  }
}

/** The members that the worker knows, as listed in its violation for an unknown one. */
function knownMembers(type: CommandType, parent?: string): readonly string[] {
  const stranger = { 'no such member': 1 };
  const data = parent === undefined ? stranger : { [parent]: stranger };
  const [, members = ''] =
    violationsOf(type, data)
      .map(({ message }) => /the members are (.+)$/.exec(message) ?? [])
      .find(([found]) => found !== undefined) ?? [];
  return members.split(', ').map((name) => (parent === undefined ? name : `${parent}.${name}`));
}

/** `a.b` set to a value. */
function dataWith(name: string, value: unknown): object {
  const [first = '', second] = name.split('.');
  return { [first]: second === undefined ? value : { [second]: value } };
}

describe('the commands of docs/messages.md', () => {
  const membersOf = (type: CommandType): readonly Member[] => membersDocumented(type);
  const objectsIn = (type: CommandType) => membersOf(type).filter((member) => member.type === 'object');

  it.each(COMMAND_TYPES)('%s has the members that the worker knows', (type) => {
    const nested = objectsIn(type).flatMap(({ name }) =>
      name.includes('.') ? [] : knownMembers(type, name),
    );
    const known = [...knownMembers(type), ...nested];
    expect(
      membersOf(type)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(known.toSorted());
  });

  it.each(COMMAND_TYPES)('%s requires what the worker requires', (type) => {
    const empty = objectsIn(type).filter(({ name }) => !name.includes('.'));
    const missing = [{}, ...empty.map(({ name }) => ({ [name]: {} }))]
      .flatMap((data) => violationsOf(type, data))
      .filter(({ message }) => message.startsWith('must be given'))
      .map(({ pointer }) => pointer.slice(1).replace('/', '.'));
    const required = membersOf(type).filter(({ isRequired }) => isRequired);
    expect(required.map(({ name }) => name).toSorted()).toEqual([...new Set(missing)].toSorted());
  });

  const all = COMMAND_TYPES.flatMap((type) =>
    membersOf(type).map((member) => ({ command: type, ...member })),
  );

  it.each(all)('$command takes nothing but $type as $name', ({ command, name, type }) => {
    const others = { string: 7, integer: 'seven', boolean: 1, object: [] };
    expect(Object.keys(others)).toContain(type);
    const refused = violationsOf(command, dataWith(name, others[type as keyof typeof others]));
    expect(refused.map(({ pointer }) => pointer)).toContain(`/${name.replace('.', '/')}`);
  });

  it.each(COMMAND_TYPES)('%s has an example that is valid', (type) => {
    const examples = fencesOf(membersText).filter(({ heading }) => heading === `\`${type}\``);
    expect(examples.map((example) => violationsOf(type, JSON.parse(example.text)))).toEqual([[]]);
  });
});

describe('the replies of docs/messages.md', () => {
  it.each([...REPLIES.values()])('$type has the members of its class', ({ type, data }) => {
    const members = membersDocumented(type).filter(isOutermost);
    expect(members.map(({ name }) => name)).toEqual(Object.keys(new data()));
  });

  it('are the only other headings with members', () => {
    const headings = tablesWith(membersText, 'Member').map(({ heading }) => heading.replaceAll('`', ''));
    expect(headings.toSorted()).toEqual([...COMMAND_TYPES, ...REPLIES.keys()].toSorted());
  });

  it('show a page with the members that every page has', () => {
    const [page] = fencesOf(membersText).filter(({ heading }) => heading === '`report.page`');
    const members = membersDocumented('report.page').filter(isOutermost);
    const always = members.filter(({ isRequired }) => isRequired).map(({ name }) => name);
    expect(Object.keys(JSON.parse(page?.text ?? '{}') as object)).toEqual(always);
  });
});
