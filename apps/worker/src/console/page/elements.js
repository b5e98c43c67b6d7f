// Elements shared by all sections. Text is never parsed as HTML, and no styles are set here.

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const SVG_ELEMENTS = ['svg', 'rect', 'path'];

/**
 * `h('p.quiet', 'text')`, `h('th', { scope: 'col' }, title)`: an element. Attributes that are undefined are
 * left out.
 */
export function h(selector, ...rest) {
  const [name, ...classes] = selector.split('.');
  const made = document.createElementNS(SVG_ELEMENTS.includes(name) ? SVG : HTML, name);
  if (classes.length > 0) made.setAttribute('class', classes.join(' '));
  const attributes = rest[0]?.constructor === Object ? rest.shift() : {};
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...shownOf(rest));
  return made;
}

/** Flattens lists of children and omits `undefined` and `false`, as from `size > 0 && h(…)`. */
export function shownOf(children) {
  return children.flat(3).filter((child) => child !== undefined && child !== false);
}

/** A badge for a state. The style sheet colours it by `data-state`. */
export const badge = (text, state = text) => h('span.badge', { 'data-state': state }, text);

/** A table whose rows become cards on a narrow screen; each cell then shows the title of its column. */
export function table(caption, titles, rows, selector = 'table') {
  const head = titles.map((title) => h('th', { role: 'columnheader', scope: 'col' }, title));
  const body = rows.map(([first, ...others]) =>
    h(
      'tr',
      { role: 'row' },
      h('th', { role: 'rowheader', scope: 'row' }, first),
      others.map((cell, index) => h('td', { role: 'cell', 'data-title': titles[index + 1] }, cell)),
    ),
  );
  return h(
    selector,
    { role: 'table', 'aria-label': caption },
    h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, head)),
    h('tbody', { role: 'rowgroup' }, body),
  );
}

/** A text that one click selects, such as a command line or an id. */
export function copyable(text) {
  // An option is not broken behind its hyphens.
  return h(
    'code.copyable',
    text.split(/(?= )/).map((word) => h(word.startsWith(' -') ? 'span.whole' : 'span', word)),
  );
}

export const nothing = (text) => h('p.nothing', text);

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
const zoned = { ...clock, timeZoneName: 'short' };
const timeOfDay = new Intl.DateTimeFormat('en-GB', zoned);
const dateAndTime = new Intl.DateTimeFormat('en-GB', { ...zoned, day: 'numeric', month: 'short' });
const minuteOfDay = new Intl.DateTimeFormat('en-GB', { ...clock, second: undefined });

export const count = (value) => number.format(value);

/** Formats a duration in milliseconds; a dash if it is missing. */
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 999.5) return `${ms < 9.95 ? number.format(ms) : Math.round(ms)} ms`;
  return `${number.format(ms / 1000)} s`;
}

/**
 * The reader's local time with its zone and age, and the date unless it is today; the title is UTC, as in the
 * log.
 */
export function time(ms) {
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date().toDateString();
  const iso = date.toISOString();
  const text = (isToday ? timeOfDay : dateAndTime).format(date);
  return h('span', h('time', { datetime: iso, title: iso }, text), ', ', ago(ms));
}

export const ago = (ms) => h('span.age', { 'data-ms': ms }, age(ms));

/** Updates the age next to each time. */
export function showAges() {
  for (const element of document.querySelectorAll('.age')) {
    const text = age(Number(element.dataset.ms));
    if (element.textContent !== text) element.textContent = text;
  }
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
];

function age(ms) {
  const passedMs = Math.max(1_000, Date.now() - ms);
  const [unitMs, unit] = UNITS.find(([each]) => passedMs >= each);
  return `${Math.floor(passedMs / unitMs)} ${unit} ago`;
}

export const clockTime = (ms) => timeOfDay.format(ms);
export const clockMinute = (ms) => minuteOfDay.format(ms);
