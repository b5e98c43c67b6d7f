// One function for each part of the page: from a part of the worker's view to its elements.

import { badge, count, duration, element, nothing, table, time } from './elements.js';

const LANE_KINDS = { consuming: 'ok', paused: 'warn', draining: 'warn', stopped: 'bad' };
const CIRCUIT_KINDS = { closed: 'ok', 'half-open': 'warn', open: 'bad' };
const REDIS = {
  available: ['ok', 'connected'],
  connecting: ['warn', 'connecting'],
  away: ['warn', 'away'],
  closed: ['idle', 'closed'],
};

export function lanesSection({ lanes, broker, redis }) {
  const laneCards = lanes.map(({ lane, state, inFlight, prefetch }) =>
    card(
      `Lane ${lane}`,
      badge(LANE_KINDS[state] ?? 'bad', state),
      element('p', {}, element('b', {}, count(inFlight)), ` of ${count(prefetch)} in flight`),
      element('meter', {
        min: 0,
        max: prefetch,
        value: inFlight,
        'aria-label': `In flight in the lane ${lane}`,
      }),
    ),
  );
  const kind = broker.lastError !== undefined ? 'warn' : 'ok';
  const brokerCard = card(
    'Broker',
    badge(broker.isConnected ? kind : 'bad', broker.isConnected ? 'connected' : 'away'),
    element('p', {}, broker.release ?? 'not connected yet'),
    broker.advice && element('p', { class: 'quiet' }, broker.advice),
  );
  const redisCard = card(
    'Deduplication',
    redis ? badge(...REDIS[redis]) : badge('idle', 'this worker'),
    element('p', {}, redis ? 'Redis, shared by all workers' : 'in the memory of this worker (no REDIS_URL)'),
  );
  return [...laneCards, brokerCard, redisCard];
}

export function commandsSection({ seconds, types }) {
  const title = seconds >= 59 ? 'The last minute' : `The last ${seconds} seconds`;
  const rows = types.map(({ type, answered, failed, perSecond, p50Ms, p95Ms, p99Ms }) => [
    element('code', {}, type),
    `${count(perSecond)}/s`,
    failed === 0 ? '0' : element('b', { class: 'failed' }, `${count(failed)} of ${count(answered)}`),
    duration(p50Ms),
    duration(p95Ms),
    duration(p99Ms),
  ]);
  const titles = ['Command', 'Answered', 'Failed', 'p50', 'p95', 'p99'];
  return [element('h3', {}, title), table(`Commands: ${title.toLowerCase()}`, titles, rows)];
}

export function operatorsSection({ operators, operatorsLeftOut }) {
  const operations = operators[0]?.operations.map(({ operation }) => operation) ?? [];
  const rows = operators.map((operator) => [
    element('bdi', {}, operator.operator),
    ...operator.operations.map(operationCell),
  ]);
  const codes = operations.map((operation) => operation);
  return [
    table('Circuits and what is in flight, by operator and operation', ['Operator', ...codes], rows),
    operatorsLeftOut > 0
      ? nothing(`${count(operatorsLeftOut)} more operators have less to tell; the metrics have all of them.`)
      : undefined,
  ].filter(Boolean);
}

function operationCell({ circuit, openSinceMs, inFlight, waiting, overflowed }) {
  if (circuit === undefined && inFlight === 0) return badge('idle', 'not used yet');
  const facts = [
    `${count(inFlight)} in flight`,
    ...(waiting > 0 ? [`${count(waiting)} wait for a connection`] : []),
    ...(overflowed > 0 ? [`${count(overflowed)} OVERLOADED so far`] : []),
  ];
  return element(
    'div',
    { class: 'operation' },
    badge(CIRCUIT_KINDS[circuit] ?? 'idle', circuit ?? 'not called yet'),
    openSinceMs === undefined ? undefined : element('span', { class: 'since' }, 'since ', time(openSinceMs)),
    element('span', { class: 'quiet' }, facts.join(', ')),
  );
}

export function failuresSection(failures) {
  if (failures.length === 0) return [nothing('No command has failed.')];
  return [element('ol', { class: 'failures' }, failures.map(failureItem))];
}

const CATEGORY_KINDS = {
  misconfigured: 'bad',
  internal: 'bad',
  unavailable: 'warn',
  uncertain: 'warn',
  expired: 'warn',
};
const ENDS = { answered: 'the caller was told', postponed: 'tried again later' };

function failureItem({
  code,
  category,
  type,
  end,
  count: times,
  firstAtMs,
  lastAtMs,
  operators,
  advice,
  whoActs,
}) {
  const names = operators.flatMap((name, index) => [
    index > 0 ? ', ' : operators.length > 1 ? 'operators ' : 'operator ',
    element('bdi', {}, name),
  ]);
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'what' },
      element('code', {}, code),
      badge(CATEGORY_KINDS[category] ?? 'idle', category),
      element(
        'span',
        {},
        element('b', {}, `${count(times)} ×`),
        ' last at ',
        time(lastAtMs),
        ', first at ',
        time(firstAtMs),
      ),
    ),
    element('p', {}, advice),
    element(
      'p',
      { class: 'quiet' },
      element('code', {}, type),
      ` · ${ENDS[end]}`,
      names.length > 0 ? ' · ' : undefined,
      names,
      ` · who acts: ${whoActs}`,
    ),
  );
}

export function talliesSection(what, tallies) {
  if (tallies.length === 0) return [nothing(`No ${what}.`)];
  const rows = tallies.map(({ reason, count: times, lastAtMs }) => [
    element('code', {}, reason),
    count(times),
    time(lastAtMs),
  ]);
  return [table(what, ['Reason', 'Count', 'Last at'], rows)];
}

function card(title, state, ...rest) {
  return element(
    'div',
    { class: 'card' },
    element('div', { class: 'title' }, element('h3', {}, title), state),
    rest.filter(Boolean),
  );
}
