// Draws the panels of the dashboard on Grafana's grid, as far as one sees what they show. Needs uPlot and `dashboard`.

/* global dashboard, uPlot */

const COLOURS = '#73bf69 #f2cc0c #5794f2 #ff780a #f2495c #b877d9 #56a64b #8ab8ff'.split(' ');
const NAMED = { red: '#e02f44', green: '#56a64b', orange: '#ff780a', blue: '#1f60c4' };
const CELL = { height: 30, gap: 8 };
const AXIS = {
  stroke: '#8e8e9c',
  grid: { stroke: '#2c3235', width: 1 },
  ticks: { show: false },
  font: '11px sans-serif',
};
const UNITS = { s: [1_000, ' ms'], bytes: [2 ** -20, ' MiB'], percentunit: [100, ' %'], reqps: [1, ' /s'] };

/** @returns a value with its unit */
function written(value, { unit = '', noValue = 'No data' }) {
  if (value === null) return noValue;
  const [factor, name] = UNITS[unit] ?? [1, unit.startsWith('suffix:') ? unit.slice('suffix:'.length) : ''];
  return Number((value * factor).toPrecision(3)) + name;
}

function clock(second) {
  return `${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`;
}

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

/** @param entries each with a legend and a colour */
function legendOf(entries) {
  const legend = element('div', 'legend');
  for (const { legend: text, colour } of entries) {
    const entry = element('span', 'entry', text);
    entry.style.setProperty('--colour', colour);
    legend.append(entry);
  }
  return legend;
}

const seriesOf = ({ targets }) => targets.flatMap(({ series }) => series);

function stat(panel, body) {
  const { defaults } = panel.fieldConfig;
  for (const { legend, values } of seriesOf(panel)) {
    const last = values.findLast((value) => value !== null) ?? null;
    const tile = element('div', 'tile');
    const step = defaults.thresholds.steps.findLast(({ value }) => value === null || last >= value);
    tile.style.background = NAMED[step.color];
    const text = defaults.mappings?.[0].options[last]?.text ?? written(last, defaults);
    tile.append(element('span', 'name', legend), element('span', 'value', text));
    body.append(tile);
  }
}

function timeseries(panel, body) {
  const { defaults } = panel.fieldConfig;
  const lines = seriesOf(panel).map((line, index) => ({ ...line, colour: COLOURS[index % COLOURS.length] }));
  const isLogarithmic = defaults.custom.scaleDistribution?.type === 'log';
  const fromZero = (_plot, _min, max) => [0, defaults.max ?? Math.max((max ?? 0) * 1.05, 1e-3)];
  const legend = legendOf(lines);
  body.append(legend);
  const options = {
    width: body.clientWidth,
    height: body.clientHeight - legend.offsetHeight,
    cursor: { show: false },
    legend: { show: false },
    series: [{}, ...lines.map(({ colour }) => ({ stroke: colour, width: 1, points: { show: false } }))],
    scales: { x: { time: false }, y: isLogarithmic ? { distr: 3 } : { range: fromZero } },
    axes: [
      { ...AXIS, values: (_plot, splits) => splits.map(clock) },
      {
        ...AXIS,
        size: 66,
        values: (_plot, splits) => splits.map((value) => (value === null ? '' : written(value, defaults))),
      },
    ],
    hooks: { draw: [mark] },
  };
  body.append(new uPlot(options, [dashboard.seconds, ...lines.map(({ values }) => values)]).root);
}

/** A row for each series, coloured while it has a value. */
function stateTimeline(panel, frame) {
  const [{ options: states }] = panel.fieldConfig.defaults.mappings;
  const body = element('div', 'states');
  const entries = Object.values(states).map(({ text, color }) => ({ legend: text, colour: NAMED[color] }));
  frame.append(legendOf(entries), body);
  for (const { legend, values } of seriesOf(panel)) {
    const row = element('div', 'states-row');
    for (const value of values) {
      const cell = element('i', '');
      cell.style.background = NAMED[states[value]?.color] ?? 'none';
      row.append(cell);
    }
    body.append(element('span', 'states-name', legend), row);
  }
}

/** The annotations. */
function mark({ ctx, bbox, valToPos }) {
  ctx.fillStyle = '#e02f4480';
  for (const second of dashboard.marks) ctx.fillRect(valToPos(second, 'x', true), bbox.top, 1, bbox.height);
}

const DRAW = { stat, timeseries, 'state-timeline': stateTimeline };

for (const panel of dashboard.panels) {
  const { x, y, w, h } = panel.gridPos;
  const frame = element('section', panel.type);
  Object.assign(frame.style, {
    left: `calc(${(x / 24) * 100}% + ${CELL.gap / 2}px)`,
    top: `${y * (CELL.height + CELL.gap)}px`,
    width: `calc(${(w / 24) * 100}% - ${CELL.gap}px)`,
    height: `${h * (CELL.height + CELL.gap) - CELL.gap}px`,
  });
  document.body.append(frame);
  const body = element('div', 'body');
  frame.append(element('h2', '', panel.title), body);
  if (panel.type === 'row') continue;
  if (seriesOf(panel).length === 0)
    body.append(element('p', 'none', panel.fieldConfig.defaults.noValue ?? 'No data'));
  else DRAW[panel.type](panel, body);
}
const rows = Math.max(...dashboard.panels.map(({ gridPos: { y, h } }) => y + h));
document.body.style.height = `${rows * (CELL.height + CELL.gap)}px`;
