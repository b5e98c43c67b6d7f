// The page of the service: events come in, and what has changed is shown.

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

const SILENT_MS = 5_000;
const REOPEN_MS = 10_000;

const REFUSALS = {
  full: 'Eight others look at this worker already. This page tries again every ten seconds.',
  stopping: 'The worker is stopping: it finishes what is in flight, and takes no more.',
};

const MARKS = { well: '✓', attention: '!', down: '✕', unknown: '?' };

const find = (id) => document.getElementById(id);
const shown = new Map();
let prefix = 'poker-bridge';
let lastHeardMs;

connect(
  'console/events',
  (view) => {
    lastHeardMs = Date.now();
    showLink('ok', `live, ${clockTime(lastHeardMs)}`);
    show(view);
  },
  (reason) => {
    showLink('bad', 'not live');
    const last = lastHeardMs && `Everything below is from ${clockTime(lastHeardMs)}, when it was last heard.`;
    showVerdict({ level: 'unknown', reasons: [{ what: 'No connection to the worker', why: reason, last }] });
  },
);
find('zone').textContent =
  `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}; the log's are UTC.`;

function showLink(kind, text) {
  find('link').className = `badge ${kind}`;
  find('link').textContent = text;
  document.body.classList.toggle('stale', kind === 'bad');
}

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

/**
 * Follows the stream of events, and notices whether it is alive: a browser does not notice that a network is gone.
 *
 * @param onEvent called with the data of each event
 * @param onLost called with a sentence when the stream is lost, and when there is another reason; an event tells that it
 * is back
 */
function connect(url, onEvent, onLost) {
  let source;
  let heardMs = Date.now();
  let openedMs = Date.now();
  /** Why the stream is lost; undefined while it is not. */
  let lost;
  /** The worker said that it ends the stream, which a browser reports as an error. */
  let isEnding = false;
  const lose = (reason) => {
    if (lost !== reason) onLost(reason);
    lost = reason;
  };
  const hear = (event) => {
    heardMs = Date.now();
    lost = undefined;
    onEvent(JSON.parse(event.data));
  };
  const open = () => {
    source?.close();
    openedMs = Date.now();
    source = new EventSource(url);
    source.addEventListener('now', hear);
    source.addEventListener('closing', (event) => {
      isEnding = true;
      lose(REFUSALS[JSON.parse(event.data).reason]);
    });
    source.addEventListener('error', () => {
      if (!isEnding) lose('The worker does not answer. It may be gone, or the network is.');
      isEnding = false;
    });
  };
  open();
  setInterval(() => {
    const nowMs = Date.now();
    if (lost === undefined && nowMs - heardMs > SILENT_MS)
      lose('Nothing arrives from the worker. It may be stuck, or the network is.');
    // A browser gives up by itself after some answers, and waits for a dead connection for minutes.
    const isStuck = source.readyState !== EventSource.CONNECTING && nowMs - heardMs > REOPEN_MS;
    if (lost !== undefined && isStuck && nowMs - openedMs > REOPEN_MS) open();
  }, 1_000);
}
