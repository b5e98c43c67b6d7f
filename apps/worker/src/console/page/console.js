// The page of a worker: events come in, and what has changed is shown.

import { connect } from './connection.js';
import { clockTime, element, span } from './elements.js';
import { Plots } from './plots.js';
import {
  commandsSection,
  failuresSection,
  lanesSection,
  operatorsSection,
  talliesSection,
} from './sections.js';

const TITLES = {
  well: 'All is well',
  attention: 'Needs a look',
  down: 'Commands are not served',
  unknown: 'No connection to the worker',
};
const MARKS = { well: '✓', attention: '!', down: '✕', unknown: '?' };

const find = (id) => document.getElementById(id);
const shown = new Map();
const plots = new Plots(find('plots'));
let host = '';
let lastHeardMs;

connect(
  'console/events',
  (name, data) => {
    lastHeardMs = Date.now();
    find('link').className = 'badge ok';
    find('link').textContent = `live, ${clockTime(lastHeardMs)}`;
    document.body.classList.remove('stale');
    if (name === 'history') begin(data);
    else show(data);
  },
  (reason) => {
    find('link').className = 'badge bad';
    find('link').textContent = 'not live';
    document.body.classList.add('stale');
    const last = lastHeardMs && `Everything below is from ${clockTime(lastHeardMs)}, when it was last heard.`;
    showVerdict({ level: 'unknown', reasons: [reason, ...(last ? [last] : [])] });
  },
);
find('zone').textContent =
  `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}; the log's are UTC.`;

function begin(history) {
  host = history.host;
  find('host').textContent = host;
  find('content').hidden = false;
  plots.begin(history);
}

function show(view) {
  find('worker').textContent = `up ${span(view.uptimeSeconds)}`;
  showVerdict(view.verdict);
  plots.add(view.point);
  fill('lanes', [view.lanes, view.broker, view.redis], () => lanesSection(view));
  fill('commands', view.commands, () => commandsSection(view.commands));
  fill('operators', [view.operators, view.operatorsLeftOut], () => operatorsSection(view));
  fill('failures', view.failures, () => failuresSection(view.failures));
  fill('dead-letters', view.deadLetters, () => talliesSection('dead letters', view.deadLetters));
  fill('parked', view.parked, () => talliesSection('parked replies', view.parked));
}

function showVerdict({ level, reasons }) {
  const title = TITLES[level];
  document.title = `${MARKS[level]} ${title} – ${host || 'poker-bridge'}`;
  fill('verdict', [level, reasons], () => {
    find('verdict').className = level;
    const items = reasons.map((reason) => element('li', {}, reason));
    const mark = element('span', { class: 'mark', 'aria-hidden': 'true' }, MARKS[level]);
    return [element('h2', {}, mark, title), element('ul', {}, items)];
  });
}

/** Leaves alone what has not changed: text that somebody has selected, or that a screen reader is reading. */
function fill(id, data, build) {
  const text = JSON.stringify(data);
  if (shown.get(id) === text) return;
  shown.set(id, text);
  find(id).replaceChildren(...build());
}
