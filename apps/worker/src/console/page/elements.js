// What every section is built of. No text becomes HTML, and nothing is styled from here.

/** An element with attributes and children; a child that is undefined is left out. */
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes ?? {})) {
    if (value !== undefined) made.setAttribute(attribute, value);
  }
  made.append(...children.flat().filter((child) => child !== undefined));
  return made;
}

/** A word about a state; `kind` is ok, warn, bad or idle, and colours it. */
export function badge(kind, text) {
  return element('span', { class: `badge ${kind}` }, text);
}

/** A table whose rows become cards on a narrow screen; each cell then shows the title of its column. */
export function table(caption, titles, rows) {
  const head = titles.map((title) => element('th', { role: 'columnheader', scope: 'col' }, title));
  const body = rows.map(([first, ...others]) =>
    element(
      'tr',
      { role: 'row' },
      element('th', { role: 'rowheader', scope: 'row' }, first),
      others.map((cell, index) => element('td', { role: 'cell', 'data-title': titles[index + 1] }, cell)),
    ),
  );
  return element(
    'table',
    { role: 'table', 'aria-label': caption },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, head)),
    element('tbody', { role: 'rowgroup' }, body),
  );
}

/** What somebody copies by one click: a command to type, an id. */
export function copyable(text) {
  // An option is not broken behind its hyphens.
  const words = text
    .split(/(?= )/)
    .map((word) => element('span', word.startsWith(' -') ? { class: 'whole' } : {}, word));
  return element('code', { class: 'copyable' }, words);
}

export function nothing(text) {
  return element('p', { class: 'nothing' }, text);
}

const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
const timeOfDay = new Intl.DateTimeFormat('en-GB', clock);
const dateAndTime = new Intl.DateTimeFormat('en-GB', { ...clock, day: 'numeric', month: 'short' });

export function count(value) {
  return number.format(value);
}

/** A duration in milliseconds; a dash if there is none. */
export function duration(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 999.5) return `${ms < 9.95 ? number.format(ms) : Math.round(ms)} ms`;
  return `${number.format(ms / 1000)} s`;
}

/** The time of the reader, with the date if it is another day; the log's time, in UTC, beside it. */
export function time(ms) {
  const date = new Date(ms);
  const isToday = date.toDateString() === new Date().toDateString();
  const iso = date.toISOString();
  return element('time', { datetime: iso, title: iso }, (isToday ? timeOfDay : dateAndTime).format(date));
}

export function clockTime(ms) {
  return timeOfDay.format(ms);
}
