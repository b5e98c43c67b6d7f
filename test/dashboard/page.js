// Draws the dashboard as Grafana would: its grid, thresholds, units, stacking and legends. Needs uPlot and `dashboard`.

/* global dashboard, uPlot */

const COLOURS =
  '#73bf69 #f2cc0c #5794f2 #ff780a #f2495c #b877d9 #56a64b #8ab8ff #ffb357 #ff7383 #ca95e5 #37872d'.split(
    ' ',
  );
const SHADES = '#e02f44 #ff7383 #ad0317 #f2495c #ffa6b0 #c4162a #7a0c1a #ff4d5e'.split(' ');
const NAMED = { red: '#e02f44', green: '#56a64b', orange: '#ff780a', blue: '#1f60c4' };
const CELL = { height: 30, gap: 8 };
const AXIS = {
  stroke: '#8e8e9c',
  grid: { stroke: '#2c3235', width: 1 },
  ticks: { show: false },
  font: '11px sans-serif',
};
const TIME_AXIS = { ...AXIS, values: (_plot, splits) => splits.map(clock) };
const UNITS = {
  s: [
    [60, 1 / 60, ' min'],
    [1, 1, ' s'],
    [0, 1_000, ' ms'],
  ],
  bytes: [[0, 2 ** -20, ' MiB']],
};

/** @returns a value with its unit, as Grafana writes it */
function written(value, { unit = '', noValue = 'No data' }) {
  if (value === null) return noValue;
  if (unit === 'percentunit') return `${short(value * 100)}%`;
  if (unit === 'reqps') return `${short(value)} req/s`;
  if (unit.startsWith('suffix:')) return short(value) + unit.slice('suffix:'.length);
  const [, factor, name] = UNITS[unit]?.find(([from]) => value >= from) ?? [0, 1, ''];
  return short(value * factor) + name;
}

function clock(second) {
  return `${Math.floor(second / 60)}:${String(second % 60).padStart(2, '0')}`;
}

function short(value) {
  return String(Number(value.toPrecision(3)));
}

function element(name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function stat(panel, body) {
  const { defaults } = panel.fieldConfig;
  for (const { legend, values } of panel.targets.flatMap(({ series }) => series)) {
    const last = values.findLast((value) => value !== null) ?? null;
    const tile = element('div', 'tile');
    const step = defaults.thresholds.steps.findLast(({ value }) => value === null || last >= value);
    tile.style.background = NAMED[step.color];
    if (panel.options.textMode === 'value_and_name') tile.append(element('span', 'name', legend));
    const text = defaults.mappings?.[0].options[last]?.text ?? written(last, defaults);
    tile.append(element('span', 'value', text));
    body.append(tile);
  }
}

/** Each line on top of the others; what has no value counts as none. */
function stacked(lines) {
  let below = [];
  return lines.map(({ values }) => {
    below = values.map((value, at) => (value ?? 0) + (below[at] ?? 0));
    return below;
  });
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

/** What the overrides say of a line. */
function propertyOf({ legend }, wanted, overrides) {
  const fits = ({ matcher: { id, options } }) =>
    id === 'byName' ? options === legend : new RegExp(options.slice(1, -1)).test(legend);
  const properties = overrides.filter(fits).flatMap(({ properties: all }) => all);
  return properties.find(({ id }) => id === wanted)?.value;
}

function coloured(lines, { defaults, overrides }) {
  const colours = defaults.color?.mode === 'shades' ? SHADES : COLOURS;
  return lines.map((line, index) => {
    const fixed = propertyOf(line, 'color', overrides)?.fixedColor;
    return { ...line, colour: NAMED[fixed] ?? colours[index % colours.length] };
  });
}

/** So that an area of a stack covers what lies behind it. */
function opaque(colour, opacity) {
  return `color-mix(in srgb, ${colour} ${opacity + 20}%, #181b1f)`;
}

function timeseries({ fieldConfig, targets }, body) {
  const { defaults, overrides } = fieldConfig;
  const { stacking, fillOpacity, scaleDistribution } = defaults.custom;
  const lines = coloured(
    targets.flatMap(({ series }) => series),
    fieldConfig,
  );
  const isStacked = stacking.mode === 'normal';
  const isLogarithmic = scaleDistribution?.type === 'log';
  const values = isStacked ? stacked(lines) : lines.map((line) => line.values);
  const alpha = Math.round(2.55 * fillOpacity)
    .toString(16)
    .padStart(2, '0');
  const series = lines.map((line) => ({
    stroke: line.colour,
    width: 1,
    fill: isStacked ? opaque(line.colour, fillOpacity) : line.colour + alpha,
    dash: propertyOf(line, 'custom.lineStyle', overrides)?.dash ?? [],
    points: { show: false },
  }));
  const legend = legendOf(lines);
  body.append(legend);
  const fromZero = (_plot, _min, max) => [0, defaults.max ?? Math.max((max ?? 0) * 1.05, 1e-3)];
  const decades = (_plot, min, max) => [10 ** Math.floor(Math.log10(min)), 10 ** Math.ceil(Math.log10(max))];
  const options = {
    width: body.clientWidth,
    height: body.clientHeight - legend.offsetHeight,
    cursor: { show: false },
    legend: { show: false },
    // The upper lines of a stack are drawn first, so that the lower ones are seen.
    series: [{}, ...series.toReversed()],
    scales: {
      x: { time: false },
      y: isLogarithmic ? { distr: 3, range: decades } : { range: fromZero },
    },
    axes: [TIME_AXIS, valueAxis(defaults, isLogarithmic)],
    hooks: { draw: [mark] },
  };
  const { root } = new uPlot(options, [dashboard.seconds, ...values.toReversed()]);
  body.append(root);
}

function valueAxis(defaults, isLogarithmic) {
  const isDrawn = (value) =>
    isLogarithmic ? Math.log10(value) % 1 === 0 : defaults.decimals !== 0 || value % 1 === 0;
  return {
    ...AXIS,
    size: 66,
    filter: (_plot, splits) => splits.map((value) => (isDrawn(value) ? value : null)),
    values: (_plot, splits) => splits.map((value) => (value === null ? '' : written(value, defaults))),
    ...(defaults.unit === 'bytes' && { incrs: [25, 50, 100, 250].map((mib) => mib * 2 ** 20) }),
  };
}

/** A row for each series, coloured while it has a value. */
function stateTimeline({ fieldConfig, targets }, frame) {
  const [{ options: states }] = fieldConfig.defaults.mappings;
  const body = element('div', 'states');
  const entries = Object.values(states).map(({ text, color }) => ({ legend: text, colour: NAMED[color] }));
  frame.append(legendOf(entries), body);
  for (const { legend, values } of targets.flatMap(({ series }) => series)) {
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
  ctx.strokeStyle = '#e02f4480';
  ctx.setLineDash([4, 4]);
  for (const second of dashboard.marks) {
    const x = valToPos(second, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.setLineDash([]);
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
  if (panel.targets.every(({ series }) => series.length === 0)) {
    body.append(element('p', 'none', panel.fieldConfig.defaults.noValue ?? 'No data'));
  } else DRAW[panel.type](panel, body);
}
const rows = Math.max(...dashboard.panels.map(({ gridPos: { y, h } }) => y + h));
document.body.style.height = `${rows * (CELL.height + CELL.gap)}px`;
