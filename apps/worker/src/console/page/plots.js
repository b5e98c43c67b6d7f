// The last hour of each command type: a bar for each minute, and below it the response times.

import { badge, clockMinute, count, duration, h, nothing, time } from './elements.js';

const MINUTES = 60;
const MINUTE_MS = 60_000;
const HEIGHT = 100;
/** Changes of circuits and of the broker that are listed below a plot. */
const MOST_CHANGES = 3;

export function plotsSection({ seconds, types, changes }) {
  const used = types.filter(({ hour }) => hour.some(({ answered }) => answered > 0));
  const unused = types.filter((type) => !used.includes(type)).map(({ type }) => type);
  const ofType = ({ type }) => changes.filter(({ operation = type }) => operation === type);
  const now = seconds >= 59 ? 'the last minute' : `the last ${seconds} s`;
  return [
    h('p.quiet', `Commands each minute, failures by cause, and response times. The figures are of ${now}.`),
    h(
      'div.plots',
      used.map((each) => plot(each, ofType(each))),
    ),
    h('p.quiet', changeText(changes.filter(({ operation }) => operation === undefined))),
    unused.length > 0 && nothing(`No command: ${unused.join(', ')}.`),
  ];
}

function plot({ type, answered, failed, refused, perSecond, p95Ms, platformP95Ms, hour }, changes) {
  const last = hour.at(-1).atMs;
  const columnOf = (atMs) => MINUTES - 1 - Math.floor(last / MINUTE_MS) + Math.floor(atMs / MINUTE_MS);
  const causes = totalsOf(hour);
  const times = `p95 ${duration(p95Ms)}, platform ${duration(platformP95Ms)}`;
  const slowest = roundedUp(...hour.flatMap((minute) => [minute.p95Ms ?? 0, minute.platformP95Ms ?? 0]));
  const busiest = Math.max(1, ...hour.map((minute) => minute.answered));
  const label = `${type} in the last hour: ${count(sum(hour.map((minute) => minute.answered)))} commands`;
  const failures = causes.map(([cause, number]) => `${count(number)} ${cause}`).join(', ') || '0 failed';
  const marks = changes.filter(({ atMs }) => columnOf(atMs) >= 0).map((change) => mark(change, columnOf));
  return h(
    'figure',
    h(
      'figcaption',
      h('code', type),
      causes.map(([cause, number]) => badge(`${count(number)} ${cause}`, cause)),
    ),
    h(
      'p.quiet',
      perSecond < 1 ? `${count(60 * perSecond)}/min` : `${count(perSecond)}/s`,
      failed > 0 && [', ', h('b.failed', `${count(failed)} of ${count(answered - refused)} failed`)],
      refused > 0 && `, ${count(refused)} refused`,
      `, ${times}`,
    ),
    h('p.scale', `0 to ${count(busiest)} a minute`),
    svg(
      'svg.bars',
      `${label}, ${failures}`,
      hour.map((minute) => bars(minute, columnOf, busiest)),
      marks,
    ),
    h(
      'p.scale',
      `0 to ${duration(slowest)}: `,
      h('span.ours', 'p95'),
      ', ',
      h('span.theirs', 'platform alone'),
    ),
    svg(
      'svg.times',
      `Response times of ${type}, 0 to ${duration(slowest)}: now ${times}`,
      ['p95Ms', 'platformP95Ms'].map((name) => line(name, hour, columnOf, slowest)),
      marks.map((each) => each.cloneNode()),
    ),
    h(
      'p.axis',
      [60, 45, 30, 15, 0].map((ago) => h('span', clockMinute(last - ago * MINUTE_MS))),
    ),
    h('p.quiet', changeText(changes.filter(({ operation }) => operation !== undefined))),
  );
}

/** The latest changes, which the vertical lines of the plots mark. */
function changeText(changes) {
  return changes
    .slice(-MOST_CHANGES)
    .map(({ what, atMs }, index) => [index > 0 && '; ', `${what} at `, time(atMs)]);
}

/** The next of 1, 2, 5, 10, 20, … milliseconds that no value exceeds. */
function roundedUp(...values) {
  const most = Math.max(1, ...values);
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= most);
}

function svg(selector, label, ...children) {
  const viewBox = `0 0 ${MINUTES} ${HEIGHT}`;
  return h(selector, { viewBox, preserveAspectRatio: 'none', role: 'img', 'aria-label': label }, children);
}

/** One minute: the failures by cause, and above them the other commands. */
function bars({ atMs, answered, causes }, columnOf, busiest) {
  let y = HEIGHT;
  const x = columnOf(atMs) + 0.1;
  const others = answered - sum(Object.values(causes));
  return Object.entries({ ...causes, answered: others }).map(([cause, number]) => {
    if (number === 0) return false;
    // A single failure among thousands of commands must still be visible.
    const height = Math.max(3, (HEIGHT * number) / busiest);
    y -= height;
    return h('rect', { 'data-state': cause, x, y: Math.max(0, y), width: 0.8, height });
  });
}

function line(name, hour, columnOf, slowest) {
  const steps = hour.map((minute, index) => {
    const ms = minute[name];
    if (ms === null) return '';
    const isContinued = index > 0 && hour[index - 1][name] !== null;
    const move = isContinued ? 'L' : 'M';
    const x = columnOf(minute.atMs) + 0.5;
    const y = (HEIGHT - (HEIGHT - 4) * (ms / slowest)).toFixed(1);
    // The short step makes a minute without neighbours visible.
    return `${move}${x - 0.4} ${y}H${x + 0.4}`;
  });
  return h('path', { class: name, d: steps.join('') || 'M0 0', 'vector-effect': 'non-scaling-stroke' });
}

/** A vertical line at the minute of a change. */
function mark({ atMs, isTrouble }, columnOf) {
  const d = `M${columnOf(atMs) + (atMs % MINUTE_MS) / MINUTE_MS} 0V${HEIGHT}`;
  return h('path', { class: isTrouble ? 'lost' : 'back', d, 'vector-effect': 'non-scaling-stroke' });
}

/** The failures of the hour by cause, the most frequent first. */
function totalsOf(hour) {
  const totals = new Map();
  for (const [cause, number] of hour.flatMap(({ causes }) => Object.entries(causes)))
    totals.set(cause, (totals.get(cause) ?? 0) + number);
  return [...totals].toSorted(([, a], [, b]) => b - a);
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
