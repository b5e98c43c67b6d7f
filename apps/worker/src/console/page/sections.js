// One function for each part of the page: from a part of the worker's view to its elements.

import { badge, copyable, count, duration, element, nothing, table, time } from './elements.js';

const LANE_KINDS = { consuming: 'ok', paused: 'warn', draining: 'warn', stopped: 'bad' };
const CIRCUIT_KINDS = { closed: 'ok', 'half-open': 'warn', open: 'bad' };
const REDIS = {
  available: ['ok', 'connected'],
  connecting: ['warn', 'connecting'],
  away: ['warn', 'away'],
  closed: ['idle', 'closed'],
};
const CATEGORY_KINDS = {
  misconfigured: 'bad',
  internal: 'bad',
  unavailable: 'warn',
  uncertain: 'warn',
  expired: 'warn',
};
const ENDS = { answered: 'the caller was told', postponed: 'tried again later' };

/** What is worst as the headline, with since when, why, who acts and what to type; the rest below it. */
export function verdictSection(mark, reasons) {
  const sign = element('span', { class: 'mark', 'aria-hidden': 'true' }, mark);
  const [worst, ...others] = reasons;
  if (!worst) return [element('h2', {}, sign, 'All is well')];
  const items = others.map((reason) => element('li', {}, element('h3', {}, reason.what), facts(reason)));
  return [
    element('h2', {}, sign, worst.what),
    facts(worst),
    ...(items.length > 0 ? [element('ul', {}, items)] : []),
  ];
}

function facts({ sinceMs, why, whoActs, line, last }) {
  const rows = [
    ['Since', sinceMs && time(sinceMs)],
    ['Why', why],
    ['Who acts', whoActs],
    ['Run', line && copyable(line)],
    ['Note', last],
  ];
  const given = rows.filter(([, value]) => value !== undefined);
  return element(
    'dl',
    {},
    given.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  );
}

export function queuesSection(queues) {
  if (!queues) return [nothing('RabbitMQ does not say.')];
  // A retry queue is told if something waits in it, or it is missing.
  const told = queues.filter(({ consumers, lane, messages }) => lane || consumers > 0 || messages !== 0);
  const rows = told.map(({ queue, lane, messages, consumers }) => [
    element('code', {}, queue),
    messages === undefined ? 'missing' : count(messages),
    consumers === 0 && lane ? badge('bad', 'none') : count(consumers ?? 0),
  ]);
  return [table('Queues', ['Queue', 'Waiting', 'Consumers'], rows)];
}

export function keptSection(what, kept) {
  if (kept?.messages === undefined) return [nothing('RabbitMQ does not say.')];
  const { messages, reasons, queue } = kept;
  if (messages === 0) return [nothing(`No ${what}.`)];
  const head = element('p', {}, element('b', {}, count(messages)), ' in ', element('code', {}, queue));
  if (!reasons)
    return [head, nothing(messages > 500 ? 'Too many to look into here.' : 'Not looked into yet.')];
  const items = reasons.map(({ reason, count: times, last, line, trace }) =>
    element(
      'li',
      {},
      element(
        'p',
        { class: 'what' },
        element('code', {}, reason),
        element('b', {}, `${count(times)} ×`),
        line && copyable(line),
      ),
      lastOne({ ...last, line: trace }),
    ),
  );
  return [head, element('ol', { class: 'failures' }, items)];
}

/** The last of a kind: its command, what was invalid, and what the platform said. */
function lastOne({ id, traceId, type, queue, failedAt, failure, line, ...told }) {
  const { status, pointers = [], reason } = failure ?? told;
  const parts = [
    status && `HTTP ${status}`,
    ...pointers.map((pointer) => element('code', {}, pointer)),
    reason,
  ].filter(Boolean);
  return element(
    'p',
    { class: 'quiet' },
    'last: ',
    type && [element('code', {}, type), ' '],
    copyable(id),
    queue && [' for ', element('code', {}, queue)],
    failedAt && [' at ', time(Date.parse(failedAt))],
    parts.flatMap((part, index) => [index === 0 ? ': ' : ', ', part]),
    traceId && [' · trace ', copyable(traceId)],
    line && [' · ', copyable(line)],
  );
}

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
  const { isConnected, isBlocked } = broker;
  const brokerState = [!isConnected && 'away', isBlocked && 'takes nothing', 'connected'].find(Boolean);
  const brokerCard = card(
    'Broker',
    badge(isConnected && !isBlocked ? 'ok' : 'bad', brokerState),
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
  const rows = types.map(({ type, answered, failed, refused, perSecond, p50Ms, p95Ms, hour }) => [
    element('code', {}, type),
    `${count(perSecond)}/s`,
    failed === 0
      ? '0'
      : element('b', { class: 'failed' }, `${count(failed)} of ${count(answered - refused)}`),
    count(refused),
    p50Ms === null ? '–' : `${duration(p50Ms)}, ${duration(p95Ms)}`,
    bars(type, hour),
  ]);
  const titles = ['Command', 'Answered', 'Failed', 'Refused', 'p50, p95', 'The last hour'];
  return [
    element('h3', {}, `Commands: ${title.toLowerCase()}`),
    table(`Commands: ${title.toLowerCase()}`, titles, rows),
  ];
}

/** A bar for each minute of the hour, as high as the share of the busiest one; what failed is red. */
function bars(type, hour) {
  const most = Math.max(1, ...hour.map(([answered]) => answered));
  const failed = hour.reduce((sum, [, each]) => sum + each, 0);
  const first = 60 - hour.length;
  return svg(
    'svg',
    {
      viewBox: '0 0 180 30',
      class: 'bars',
      role: 'img',
      'aria-label': `${type}: ${count(failed)} failed in an hour`,
    },
    hour.flatMap(([answered, each], index) =>
      [
        [answered, 'all'],
        [each, 'failed'],
      ].map(([value, kind]) => {
        const height = value === 0 ? 0 : Math.max(1.5, (30 * value) / most);
        return svg('rect', { class: kind, x: 3 * (first + index), y: 30 - height, width: 2.4, height });
      }),
    ),
  );
}

function svg(name, attributes, children = []) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function operatorsSection({ operators, operatorsLeftOut }) {
  const operations = operators[0]?.operations.map(({ operation }) => operation) ?? [];
  const rows = operators.map((operator) => [
    element('bdi', {}, operator.operator),
    ...operator.operations.map(operationCell),
  ]);
  return [
    table('Circuits and what is in flight, by operator and operation', ['Operator', ...operations], rows),
    ...(operatorsLeftOut > 0
      ? [
          nothing(
            `${count(operatorsLeftOut)} more operators have less to tell; the metrics have all of them.`,
          ),
        ]
      : []),
  ];
}

function operationCell({ circuit, cause, openSinceMs, inFlight, waiting, overflowed }) {
  if (circuit === undefined && inFlight === 0) return badge('idle', 'not used yet');
  const numbers = [
    `${count(inFlight)} in flight`,
    ...(waiting > 0 ? [`${count(waiting)} wait for a connection`] : []),
    ...(overflowed > 0 ? [`${count(overflowed)} OVERLOADED so far`] : []),
  ];
  return element(
    'div',
    { class: 'operation' },
    badge(CIRCUIT_KINDS[circuit] ?? 'idle', circuit ?? 'not called yet'),
    openSinceMs && element('span', {}, 'since ', time(openSinceMs), cause && `, ${cause}`),
    element('span', { class: 'quiet' }, numbers.join(', ')),
  );
}

export function failuresSection(failures) {
  if (failures.length === 0) return [nothing('No command has failed.')];
  return [element('ol', { class: 'failures' }, failures.map(failureItem))];
}

function failureItem({ code, category, type, end, count: times, operators, last, line, ...failure }) {
  const { firstAtMs, lastAtMs, advice, whoActs } = failure;
  const names = operators.flatMap((name, index) => [
    index > 0 ? ', ' : operators.length > 1 ? 'operators ' : 'operator ',
    element('bdi', {}, name),
  ]);
  const when = [' last at ', time(lastAtMs), ', first at ', time(firstAtMs)];
  return element(
    'li',
    {},
    element(
      'p',
      { class: 'what' },
      element('code', {}, code),
      badge(CATEGORY_KINDS[category] ?? 'idle', category),
      element('span', {}, element('b', {}, `${count(times)} ×`), when),
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
    lastOne({ ...last, reason: last.reason === advice ? undefined : last.reason, line }),
  );
}

function card(title, state, ...rest) {
  return element(
    'div',
    { class: 'card' },
    element('div', { class: 'title' }, element('h3', {}, title), state),
    rest.filter(Boolean),
  );
}
