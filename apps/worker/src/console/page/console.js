// The console page: receives events and updates the parts that have changed.

import { clockTime, showAges, shownOf, time } from './elements.js';
import { plotsSection } from './plots.js';
import * as sections from './sections.js';

const SILENT_MS = 5_000;
const REOPEN_MS = 10_000;
/** Delay before reconnecting after a worker has stopped. */
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
    showVerdict({ level: 'unknown', worst: { what: 'No connection to the worker', why: reason, last } });
  },
);

function showLink(state, text) {
  find('link').dataset.state = state;
  find('link').textContent = text;
  document.body.classList.toggle('stale', state === 'lost');
}

function show(view) {
  const { worker, startedAtMs, lanes, broker, redis, operators, operatorsLeftOut } = view;
  prefix = view.prefix;
  find('content').hidden = false;
  find('prefix').textContent = prefix;
  find('from').textContent = worker;
  showVerdict(view.verdict);
  fill('plots', view.commands, plotsSection);
  fill('causes', { causes: view.causes, leftOut: view.causesLeftOut }, sections.causesSection);
  fill('queues', view.queues, sections.queuesSection);
  fill('worker', worker, () => [`${worker}, started at `, time(startedAtMs)]);
  fill('lanes', { lanes, broker, redis }, sections.lanesSection);
  fill('operators', { operators, operatorsLeftOut }, sections.operatorsSection);
  showAges();
}

function showVerdict({ level, worst }) {
  const title = worst?.what ?? 'All is well';
  document.title = `${MARKS[level]} ${title} – ${prefix}`;
  find('verdict').className = level;
  fill('headline', { level, title }, () => sections.headline(MARKS[level], title));
  fill('worst', worst, () => worst && [sections.facts(worst)]);
}

/** Skips unchanged parts so that a text selection survives. Open details stay open and keep the focus. */
function fill(id, data, build) {
  const text = JSON.stringify(data) ?? '';
  if (shown.get(id) === text) return;
  shown.set(id, text);
  const part = find(id);
  const keyOf = (element) => element?.closest('details')?.dataset.key;
  const open = [...part.querySelectorAll('details[open]')].map(keyOf);
  const focused = part.contains(document.activeElement) ? keyOf(document.activeElement) : undefined;
  part.replaceChildren(...shownOf(build(data) ?? []));
  for (const details of part.querySelectorAll('details')) {
    details.open = open.includes(keyOf(details));
    if (keyOf(details) === focused) details.querySelector('summary').focus();
  }
}

/**
 * Follows the event stream and detects when it is lost. A browser alone does not detect a lost network, stops
 * reconnecting after some responses, and waits minutes for a dead connection.
 *
 * @param onEvent called with the data of each event; the first event after a loss means that the stream is
 *   back
 * @param onLost called with a sentence when the stream is lost, and when the reason changes
 */
function connect(url, onEvent, onLost) {
  let source;
  let silence;
  let reopening;
  /** The reason why the stream is lost; undefined while it is alive. */
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
      // The end of the stream after this event is not an error.
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
