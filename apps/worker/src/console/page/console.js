// The page of the service: events come in, and what has changed is shown.

import { clockTime, shownOf, time } from './elements.js';
import * as sections from './sections.js';

const SILENT_MS = 5_000;
const REOPEN_MS = 10_000;
/** After a worker that stops. */
const SOON_MS = 2_000;

const REFUSALS = {
  full: 'Eight others look at this worker already. This page tries again every ten seconds.',
  stopping: 'The worker is stopping: it finishes what is in flight, and takes no more.',
};
const SILENT = 'Nothing arrives from the worker. It may be stuck, or the network is.';
const GONE = 'The worker does not answer. It may be gone, or the network is.';

const MARKS = { well: '✓', attention: '!', down: '✕', unknown: '?' };

const find = (id) => document.getElementById(id);
const shown = new Map();
let prefix = 'poker-bridge';
let lastHeardMs;

connect(
  'console/events',
  (view) => {
    lastHeardMs = Date.now();
    showLink('live', `live, ${clockTime(lastHeardMs)}`);
    show(view);
  },
  (reason) => {
    showLink('lost', 'not live');
    const last = lastHeardMs && `Everything below is from ${clockTime(lastHeardMs)}, when it was last heard.`;
    showVerdict({ level: 'unknown', reasons: [{ what: 'No connection to the worker', why: reason, last }] });
  },
);
find('zone').textContent =
  `Times are those of ${Intl.DateTimeFormat().resolvedOptions().timeZone}; the log's are UTC.`;

function showLink(state, text) {
  find('link').dataset.state = state;
  find('link').textContent = text;
  document.body.classList.toggle('stale', state === 'lost');
}

function show(view) {
  const { service, worker, startedAtMs, lanes, broker, redis, operators, operatorsLeftOut } = view;
  prefix = view.prefix;
  find('content').hidden = false;
  find('prefix').textContent = prefix;
  find('from').textContent = worker;
  showVerdict(view.verdict);
  fill('queues', service?.queues, sections.queuesSection);
  fill('dead-letters', service?.deadLetters, (kept) => sections.keptSection('dead letters', kept));
  fill('parked', service?.parked, (kept) => sections.keptSection('parked replies', kept));
  fill('worker', worker, () => [`${worker}, started at `, time(startedAtMs)]);
  fill('lanes', { lanes, broker, redis }, sections.lanesSection);
  fill('commands', view.commands, sections.commandsSection);
  fill('operators', { operators, operatorsLeftOut }, sections.operatorsSection);
  fill('failures', view.failures, sections.failuresSection);
}

function showVerdict(verdict) {
  const { level, reasons } = verdict;
  const title = reasons[0]?.what ?? 'All is well';
  document.title = `${MARKS[level]} ${title} – ${prefix}`;
  find('verdict').className = level;
  fill('verdict', verdict, () => sections.verdictSection(MARKS[level], title, reasons));
}

/** Leaves alone what has not changed: text that somebody has selected, or that a screen reader is reading. */
function fill(id, data, build) {
  const text = JSON.stringify(data) ?? '';
  if (shown.get(id) === text) return;
  shown.set(id, text);
  find(id).replaceChildren(...shownOf(build(data)));
}

/**
 * Follows the stream of events, and notices whether it is alive: a browser does not notice that a network is gone, gives
 * up by itself after some answers, and waits for a dead connection for minutes.
 *
 * @param onEvent called with the data of each event
 * @param onLost called with a sentence when the stream is lost, and when there is another reason; an event tells that it
 * is back
 */
function connect(url, onEvent, onLost) {
  let source;
  let silence;
  let reopening;
  /** Why the stream is lost; undefined while it is not. */
  let lost;
  const lose = (reason) => {
    if (lost !== reason) onLost(reason);
    lost = reason;
  };
  const awaitEvent = () => {
    lost = undefined;
    clearTimeout(silence);
    silence = setTimeout(() => lose(lost ?? SILENT), SILENT_MS);
  };
  const openIn = (ms) => {
    clearTimeout(reopening);
    reopening = setTimeout(open, ms);
  };
  const open = () => {
    source?.close();
    source = new EventSource(url);
    source.addEventListener('now', (event) => {
      awaitEvent();
      openIn(REOPEN_MS);
      onEvent(JSON.parse(event.data));
    });
    source.addEventListener('closing', (event) => {
      const { reason } = JSON.parse(event.data);
      // The end that follows is no fault.
      source.close();
      lose(REFUSALS[reason]);
      openIn(reason === 'full' ? REOPEN_MS : SOON_MS);
    });
    source.addEventListener('error', () => lose(GONE));
    openIn(REOPEN_MS);
  };
  awaitEvent();
  open();
}
