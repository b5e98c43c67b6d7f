// A function for each part of the page: from a part of the worker's view to its elements.

import { badge, copyable, count, duration, h, nothing, table, time } from './elements.js';

const ENDS = { answered: 'the caller was told', postponed: 'tried again later' };

/** The worst reason as the headline, with since when, why, who acts and what to type; the rest below it. */
export function verdictSection(mark, title, [worst, ...others]) {
  const items = others.map((reason) => h('li', h('h3', reason.what), facts(reason)));
  return [
    h('h2', h('span.mark', { 'aria-hidden': 'true' }, mark), title),
    worst && facts(worst),
    items.length > 0 && h('ul', items),
  ];
}

function facts({ sinceMs, why, whoActs, line, last }) {
  const all = { Since: sinceMs && time(sinceMs), Why: why, 'Who acts': whoActs, Run: line && copyable(line) };
  const rows = Object.entries({ ...all, Note: last });
  return h('dl', ...rows.map(([name, value]) => value !== undefined && [h('dt', name), h('dd', value)]));
}

export function queuesSection(queues) {
  if (!queues) return [nothing('RabbitMQ does not say.')];
  // A retry queue is shown if something waits in it, or it is missing.
  const shown = queues.filter(({ consumers, lane, messages }) => lane || consumers > 0 || messages !== 0);
  const rows = shown.map(({ queue, lane, messages, consumers }) => [
    h('code', queue),
    messages === undefined ? 'missing' : count(messages),
    consumers === 0 && lane ? badge('none') : count(consumers ?? 0),
  ]);
  return [table('Queues', ['Queue', 'Waiting', 'Consumers'], rows)];
}

export function keptSection(what, kept) {
  if (kept?.messages === undefined) return [nothing('RabbitMQ does not say.')];
  const { messages, reasons, queue, line: list } = kept;
  if (messages === 0) return [nothing(`No ${what}.`)];
  const tooMany = ['Too many to look into here: ', copyable(list)];
  const items = reasons?.map(({ reason, count: times, last, line, trace }) => {
    const title = h('p.what', h('code', reason), h('b', `${count(times)} ×`), line && copyable(line));
    return h('li', title, lastOne({ ...last, ...last.failure, line: trace }));
  });
  return [
    h('p', h('b', count(messages)), ' in ', h('code', queue)),
    items ? h('ol.failures', items) : nothing(messages > 500 ? tooMany : 'Not looked into yet.'),
  ];
}

/** The last of a kind: its command, what was invalid, and what the platform said. */
function lastOne({ id, traceId, type, queue, failedAt, status, pointers = [], reason, line }) {
  const names = pointers.map((pointer) => h('code', pointer));
  const parts = [status && `HTTP ${status}`, ...names, reason].filter(Boolean);
  return h(
    'p.quiet',
    'last: ',
    type && [h('code', type), ' '],
    copyable(id),
    queue && [' for ', h('code', queue)],
    failedAt && [' at ', time(Date.parse(failedAt))],
    parts.map((part, index) => [index === 0 ? ': ' : ', ', part]),
    traceId && [' · trace ', copyable(traceId)],
    line && [' · ', copyable(line)],
  );
}

export function lanesSection({ lanes, broker, redis }) {
  const { isConnected, isBlocked, release = 'not connected yet', advice } = broker;
  const brokerState = isConnected ? badge('connected') : badge('away', 'no broker');
  return [
    ...lanes.map(({ lane, state, inFlight, prefetch: max }) =>
      card(
        `Lane ${lane}`,
        badge(state),
        h('p', h('b', count(inFlight)), ` of ${count(max)} in flight`),
        h('meter', { min: 0, max, value: inFlight, 'aria-label': `In flight in the lane ${lane}` }),
      ),
    ),
    card(
      'Broker',
      isBlocked ? badge('takes nothing') : brokerState,
      h('p', release),
      advice && h('p.quiet', advice),
    ),
    card(
      'Deduplication',
      badge(redis === 'available' ? 'connected' : (redis ?? 'this worker')),
      h('p', redis ? 'Redis, shared by all workers' : 'in the memory of this worker (no REDIS_URL)'),
    ),
  ];
}

export function commandsSection({ seconds, types }) {
  const title = `Commands: the last ${seconds >= 59 ? 'minute' : `${seconds} seconds`}`;
  const rows = types.map(({ type, answered, failed, refused, perSecond, p50Ms, p95Ms, hour }) => [
    h('code', type),
    `${count(perSecond)}/s`,
    failed === 0 ? '0' : h('b.failed', `${count(failed)} of ${count(answered - refused)}`),
    count(refused),
    p50Ms === null ? '–' : `${duration(p50Ms)}, ${duration(p95Ms)}`,
    bars(type, hour),
  ]);
  const titles = ['Command', 'Answered', 'Failed', 'Refused', 'p50, p95', 'The last hour'];
  return [h('h3', title), table(title, titles, rows)];
}

/** A bar for each minute of the hour, as high as the share of the busiest one; what failed is red. */
function bars(type, hour) {
  const most = Math.max(1, ...hour.map(([answered]) => answered));
  const failed = hour.reduce((sum, [, each]) => sum + each, 0);
  const label = `${type}: ${count(failed)} failed in an hour`;
  const bar = (kind, index, value) => {
    const height = value === 0 ? 0 : Math.max(1.5, (30 * value) / most);
    const x = 3 * (60 - hour.length + index);
    return h(`rect.${kind}`, { x, y: 30 - height, width: 2.4, height });
  };
  return h(
    'svg.bars',
    { viewBox: '0 0 180 30', role: 'img', 'aria-label': label },
    hour.flatMap(([answered, each], index) => [bar('all', index, answered), bar('failed', index, each)]),
  );
}

export function operatorsSection({ operators, operatorsLeftOut: leftOut }) {
  const operations = operators[0]?.operations.map(({ operation }) => operation) ?? [];
  const rows = operators.map((each) => [h('bdi', each.operator), ...each.operations.map(operationCell)]);
  const title = 'Circuits and what is in flight, by operator and operation';
  const others = `${count(leftOut)} more operators have less to tell; the metrics have all of them.`;
  return [table(title, ['Operator', ...operations], rows), leftOut > 0 && nothing(others)];
}

function operationCell({ circuit, cause, openSinceMs, inFlight, waiting, overflowed }) {
  if (circuit === undefined && inFlight === 0) return badge('not used yet');
  const numbers = [
    `${count(inFlight)} in flight`,
    waiting > 0 && `${count(waiting)} wait for a connection`,
    overflowed > 0 && `${count(overflowed)} OVERLOADED so far`,
  ];
  return h(
    'div.operation',
    badge(circuit ?? 'not called yet'),
    openSinceMs && h('span', 'since ', time(openSinceMs), cause && `, ${cause}`),
    h('span.quiet', numbers.filter(Boolean).join(', ')),
  );
}

export function failuresSection(failures) {
  return [
    failures.length === 0 ? nothing('No command has failed.') : h('ol.failures', failures.map(failureItem)),
  ];
}

function failureItem({ code, category, type, end, count: times, operators, last, line, ...failure }) {
  const { firstAtMs, lastAtMs, advice, whoActs } = failure;
  const names = operators.map((name, index) => [index > 0 && ', ', h('bdi', name)]);
  return h(
    'li',
    h(
      'p.what',
      h('code', code),
      badge(category),
      h('span', h('b', `${count(times)} ×`), ' last at ', time(lastAtMs), ', first at ', time(firstAtMs)),
    ),
    h('p', advice),
    h(
      'p.quiet',
      h('code', type),
      ` · ${ENDS[end]}`,
      names.length > 0 && ` · operator${names.length > 1 ? 's' : ''} `,
      names,
      ` · who acts: ${whoActs}`,
    ),
    lastOne({ ...last, reason: last.reason === advice ? undefined : last.reason, line }),
  );
}

function card(title, state, ...rest) {
  return h('div.card', h('div.title', h('h3', title), state), rest);
}
