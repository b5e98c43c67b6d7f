// The page of the service: events come in, and what has changed is shown.

import { connect } from './connection.js';
import { clockTime, time } from './elements.js';
import {
  commandsSection,
  failuresSection,
  keptSection,
  lanesSection,
  operatorsSection,
  queuesSection,
  verdictSection,
} from './sections.js';

const MARKS = { well: '✓', attention: '!', down: '✕', unknown: '?' };

const find = (id) => document.getElementById(id);
const shown = new Map();
let prefix = 'poker-bridge';
let lastHeardMs;

connect(
  'console/events',
  (view) => {
    lastHeardMs = Date.now();
    find('link').className = 'badge ok';
    find('link').textContent = `live, ${clockTime(lastHeardMs)}`;
    document.body.classList.remove('stale');
    show(view);
  },
  (reason) => {
    find('link').className = 'badge bad';
    find('link').textContent = 'not live';
    document.body.classList.add('stale');
    const last = lastHeardMs && `Everything below is from ${clockTime(lastHeardMs)}, when it was last heard.`;
    showVerdict({ level: 'unknown', reasons: [{ what: 'No connection to the worker', why: reason, last }] });
  },
);
find('zone').textContent =
  `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}; the log's are UTC.`;

function show(view) {
  prefix = view.prefix;
  find('content').hidden = false;
  find('prefix').textContent = prefix;
  find('from').textContent = view.worker;
  showVerdict(view.verdict);
  const { service } = view;
  fill('queues', service?.queues, () => queuesSection(service?.queues));
  fill('dead-letters', service?.deadLetters, () => keptSection('dead letters', service?.deadLetters));
  fill('parked', service?.parked, () => keptSection('parked replies', service?.parked));
  fill('worker', view.worker, () => [`${view.worker}, started at `, time(view.startedAtMs)]);
  fill('lanes', [view.lanes, view.broker, view.redis], () => lanesSection(view));
  fill('commands', view.commands, () => commandsSection(view.commands));
  fill('operators', [view.operators, view.operatorsLeftOut], () => operatorsSection(view));
  fill('failures', view.failures, () => failuresSection(view.failures));
}

function showVerdict(verdict) {
  const { level, reasons } = verdict;
  const title = reasons[0]?.what ?? 'All is well';
  document.title = `${MARKS[level]} ${title} – ${prefix}`;
  fill('verdict', verdict, () => {
    find('verdict').className = level;
    return verdictSection(MARKS[level], reasons);
  });
}

/** Leaves alone what has not changed: text that somebody has selected, or that a screen reader is reading. */
function fill(id, data, build) {
  const text = JSON.stringify(data) ?? '';
  if (shown.get(id) === text) return;
  shown.set(id, text);
  find(id).replaceChildren(...build());
}
