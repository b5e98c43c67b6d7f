// Four plots of the last hour, drawn by uPlot. Each has a legend in words, with the value under the pointer, else the last.

import { clockTime, count, duration, element } from './elements.js';

const SHORTEST_S = 120;
const LONGEST_S = 3_600;
const DASHES = [[], [10, 4], [3, 3], [10, 3, 3, 3]];
const HEIGHT = 150;

const perSecond = (value) => (value === null ? '–' : `${count(value)}/s`);
const fromZero = (least) => (_plot, _min, max) => [0, Math.max(least, (max ?? 0) * 1.1)];
const decades = (_plot, min, max) => [
  10 ** Math.floor(Math.log10(min ?? 10)),
  10 ** Math.ceil(Math.log10(Math.max(max ?? 0, 1000))),
];
/** Of a logarithmic axis. */
const wholeDecades = (_plot, splits) => splits.map((at) => (Math.log10(at) % 1 === 0 ? at : null));

const KINDS = [
  {
    title: 'Throughput',
    unit: 'answered a second',
    value: perSecond,
    range: fromZero(1),
    of: (index) => (point) => point.types[index][0],
  },
  {
    title: 'Latency',
    unit: 'p95: 95 % take no longer',
    value: duration,
    range: decades,
    distr: 3,
    filter: wholeDecades,
    of: (index) => (point) => point.types[index][2],
  },
  {
    title: 'Failures',
    unit: 'failed a second',
    value: perSecond,
    range: fromZero(1),
    of: (index) => (point) => point.types[index][1],
  },
  {
    title: 'In flight',
    unit: 'commands, by lane',
    value: count,
    range: fromZero(10),
    isByLane: true,
    of: (index) => (point) => point.inFlight[index],
  },
];

/** Draws the plots into an element, and again when the colours or the width change. */
export class Plots {
  #root;
  #points = [];
  #parts = [];

  constructor(root) {
    this.#root = root;
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.#draw());
    new ResizeObserver(() => this.#parts.forEach(fit)).observe(root);
  }

  /** Begins again, with what a worker remembers. */
  begin({ points, types, lanes }) {
    for (const { plot } of this.#parts) plot.destroy();
    this.#points = points;
    this.#parts = KINDS.map((kind) => partOf(kind, kind.isByLane ? lanes : types));
    this.#root.replaceChildren(...this.#parts.map(({ figure }) => figure));
    this.#draw();
  }

  /** The last step may be one that was there before. */
  add(point) {
    if (!point || point.at <= (this.#points.at(-1)?.at ?? 0)) return;
    this.#points.push(point);
    while (point.at - this.#points[0].at > LONGEST_S) this.#points.shift();
    for (const part of this.#parts) {
      part.plot.setData(dataOf(part, this.#points));
      tell(part);
    }
  }

  #draw() {
    for (const part of this.#parts) {
      part.plot?.destroy();
      part.plot = new uPlot(optionsOf(part), dataOf(part, this.#points), part.canvas);
      tell(part);
    }
  }
}

function partOf(kind, names) {
  const canvas = element('div', { class: 'plot', 'aria-hidden': 'true' });
  const moment = element('span', { class: 'moment' });
  const keys = names.map((name, index) => {
    const value = element('b', {}, '–');
    return { value, item: element('li', { class: `series-${index}` }, swatch(index), ` ${name} `, value) };
  });
  const figure = element(
    'figure',
    {},
    element(
      'figcaption',
      {},
      element('h3', {}, kind.title),
      element('span', { class: 'quiet' }, kind.unit),
      moment,
    ),
    canvas,
    element(
      'ul',
      { class: 'legend', 'aria-label': `${kind.title}, now` },
      keys.map(({ item }) => item),
    ),
  );
  return { kind, names, canvas, moment, keys, figure, plot: undefined };
}

function dataOf({ kind, names }, points) {
  return [points.map(({ at }) => at), ...names.map((_, index) => points.map(kind.of(index)))];
}

function optionsOf(part) {
  const { kind, names, canvas, keys } = part;
  const { color, borderTopColor, font } = getComputedStyle(canvas);
  const axis = { stroke: color, font, grid: { stroke: borderTopColor, width: 1 }, ticks: { show: false } };
  return {
    width: canvas.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: 'console' }, drag: { x: false, y: false }, points: { size: 6 } },
    scales: { x: { range: hour }, y: { range: kind.range, distr: kind.distr ?? 1 } },
    axes: [
      {
        ...axis,
        size: 28,
        space: 60,
        values: (_plot, splits) => splits.map((at) => clockTime(at * 1000).slice(0, 5)),
      },
      {
        ...axis,
        ...(kind.filter && { filter: kind.filter, grid: { ...axis.grid, filter: kind.filter } }),
        size: 58,
        space: 26,
        values: (_plot, splits) => splits.map((at) => (at === null ? '' : kind.value(at))),
      },
    ],
    series: [
      {},
      ...names.map((label, index) => {
        const stroke = getComputedStyle(keys[index].item.firstChild).color;
        const points = { show: true, size: 5, fill: stroke, filter: lonely };
        return { label, stroke, width: 1.75, dash: DASHES[index % DASHES.length], points };
      }),
    ],
    hooks: { setCursor: [() => tell(part)] },
  };
}

function hour(_plot, first, last) {
  const end = last ?? Date.now() / 1000;
  return [Math.min(end - SHORTEST_S, Math.max(first ?? end, end - LONGEST_S)), end];
}

/** A value between two gaps would not be seen as a line. */
function lonely(plot, series) {
  const values = plot.data[series];
  return values.flatMap((value, index) => {
    const isLonely =
      value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
    return isLonely ? [index] : [];
  });
}

function tell({ kind, keys, moment, plot }) {
  if (!plot) return;
  const pointed = plot.cursor.idx ?? undefined;
  const index = pointed ?? plot.data[0].length - 1;
  moment.textContent = pointed === undefined ? '' : clockTime(plot.data[0][pointed] * 1000);
  keys.forEach(({ value }, series) => (value.textContent = kind.value(plot.data[series + 1][index] ?? null)));
}

function fit({ plot, canvas }) {
  if (plot && canvas.clientWidth > 0) plot.setSize({ width: canvas.clientWidth, height: HEIGHT });
}

function swatch(index) {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  const line = document.createElementNS(namespace, 'line');
  const attributes = { x1: 0, x2: 26, y1: 5, y2: 5, stroke: 'currentColor', 'stroke-width': 2.5 };
  for (const [name, value] of Object.entries(attributes)) line.setAttribute(name, value);
  line.setAttribute('stroke-dasharray', DASHES[index % DASHES.length].join(' '));
  for (const [name, value] of Object.entries({ width: 26, height: 10, 'aria-hidden': 'true' }))
    svg.setAttribute(name, value);
  svg.append(line);
  return svg;
}
