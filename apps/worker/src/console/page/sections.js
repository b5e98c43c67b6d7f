// One function per part of the page: each converts a part of the worker's view to elements.

import { ago, badge, copyable, count, h, nothing, table, time } from './elements.js';

export const headline = (mark, title) => [h('h2', h('span.mark', { 'aria-hidden': 'true' }, mark), title)];

/**
 * Lists the facts of a cause, such as its start, its reason, the people who act and the command line to run.
 */
export function facts({ sinceMs, lastAtMs, why, whoActs, operators = [], line, last }) {
  const all = {
    Since: sinceMs && time(sinceMs),
    Last: lastAtMs ? time(lastAtMs) : undefined,
    Why: why,
    'Who acts': whoActs,
    Operators: operators.length > 0 ? h('bdi', operators.join(', ')) : undefined,
    Run: line && copyable(line),
    Note: last,
  };
  const rows = Object.entries(all);
  return h('dl', ...rows.map(([name, value]) => value !== undefined && [h('dt', name), h('dd', value)]));
}

/** A row for each cause, the worst first. A row opens to its facts and its latest commands. */
export function causesSection({ causes, leftOut }) {
  if (causes.length === 0) return [nothing('No failures since this worker started, and nothing kept.')];
  const more = `${count(leftOut)} more; the log and the metrics have them.`;
  return [h('ol.causes', causes.map(causeItem)), leftOut > 0 && nothing(more)];
}

function causeItem({ key, level, what, count: times, commands, ...cause }) {
  const { sinceMs, lastAtMs } = cause;
  const when = lastAtMs ? ['last ', ago(lastAtMs)] : sinceMs && ['began ', ago(sinceMs)];
  const summary = h(
    'summary',
    h(`span.level.${level}`, { 'aria-hidden': 'true' }, { down: '✕', attention: '!', noted: '·' }[level]),
    h('span.what', what),
    h('span.times', times ? `${count(times)} ×` : ''),
    h('span.when', when || ''),
  );
  return h('li', h('details', { 'data-key': key }, summary, facts(cause), commands.map(commandText)));
}

/** Describes a failed command: its ids, the invalid members, and the answer of the platform. */
function commandText({ code, type, count: times, id, traceId, status, pointers = [], reason, line }) {
  const names = pointers.map((pointer) => h('code', pointer));
  const parts = [status && `HTTP ${status}`, ...names, reason].filter(Boolean);
  return h(
    'p.quiet',
    [type, code, times && `${count(times)} ×`].filter(Boolean).join(' '),
    ' last: ',
    copyable(id),
    parts.map((part, index) => [index === 0 ? ': ' : ', ', part]),
    traceId && [' · trace ', copyable(traceId)],
    line && [' · ', copyable(line)],
  );
}

export function queuesSection(queues) {
  if (!queues) return [nothing('RabbitMQ does not answer.')];
  // A retry queue is shown only if it has messages or is missing.
  const shown = queues.filter(({ consumers, lane, messages }) => lane || consumers !== 0 || messages !== 0);
  const rows = shown.map(({ queue, lane, messages, consumers }) => [
    // A long name breaks after a dot.
    h(
      'code',
      queue.split(/(?<=\.)/).map((part) => [part, h('wbr')]),
    ),
    messages === undefined ? 'missing' : count(messages),
    consumers === 0 && lane ? badge('none') : count(consumers ?? 0),
  ]);
  return [table('Queues', ['Queue', 'Messages', 'Consumers'], rows, 'table.small')];
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
      isBlocked ? badge('blocked') : brokerState,
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

function card(title, state, ...rest) {
  return h('div.card', h('div.title', h('h3', title), state), rest);
}
