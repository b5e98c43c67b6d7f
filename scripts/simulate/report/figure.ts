import { escapeXml } from '../../escape-xml.ts';
import type { Outage } from '../scenario/scenario.ts';
import type { NamedSimulation } from './lines.ts';
import { type Panel, PANELS } from './panels.ts';

const PANEL = { width: 460, height: 150, left: 52, right: 12, top: 34, bottom: 18 } as const;
const HEADER = 34;
const PLOT_WIDTH = PANEL.width - PANEL.left - PANEL.right;
const PLOT_HEIGHT = PANEL.height - PANEL.top - PANEL.bottom;
const COLOURS = ['a', 'b', 'c'] as const;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .note { font-size: 11px; fill: #57606a; }
  .grid { stroke: #d0d7de; stroke-width: 1; }
  .outage { fill: #d1242f; opacity: .1; }
  path { fill: none; stroke-width: 1.5; stroke-linejoin: round; }
  path.a { stroke: #0969da; } tspan.a { fill: #0969da; }
  path.b { stroke: #1a7f37; } tspan.b { fill: #1a7f37; }
  path.c { stroke: #bc4c00; } tspan.c { fill: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #8d96a0; }
    .grid { stroke: #30363d; }
    path.a { stroke: #4493f8; } tspan.a { fill: #4493f8; }
    path.b { stroke: #3fb950; } tspan.b { fill: #3fb950; }
    path.c { stroke: #f0883e; } tspan.c { fill: #f0883e; }
  }`;

/** One column for each simulation, one row for each panel, each row with one scale. */
export function figure(simulations: readonly NamedSimulation[]): string {
  const width = PANEL.width * simulations.length;
  const height = HEADER + PANEL.height * PANELS.length;
  const columns = simulations.map(
    (named, column) =>
      `<text class="title" x="${column * PANEL.width + PANEL.left}" y="20">${escapeXml(named.name)}</text>`,
  );
  const rows = PANELS.map((panel, row) => {
    const most = roundUp(mostOf(panel, simulations));
    return simulations
      .map((named, column) => {
        const [x, y] = [column * PANEL.width, HEADER + row * PANEL.height];
        return `<g transform="translate(${x} ${y})">${plot(panel, named, most)}</g>`;
      })
      .join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-labelledby="title">
<title id="title">Commands, queues, latency and calls to the platform over simulated time</title>
<style>${STYLE}
</style>
${[...columns, ...rows].join('\n')}
</svg>
`;
}

function plot({ title, lines }: Panel, { simulation }: NamedSimulation, most: number): string {
  const { samples, scenario } = simulation;
  const { forMs } = scenario;
  const xOf = (atMs: number): string =>
    (PANEL.left + (PLOT_WIDTH * Math.min(atMs, forMs)) / forMs).toFixed(1);
  const yOf = (value: number): string => (PANEL.top + PLOT_HEIGHT * (1 - value / most)).toFixed(1);
  const legend = lines
    .map(({ label }, index) => `<tspan class="${COLOURS[index]}" dx="8">${label}</tspan>`)
    .join('');
  return [
    `<text class="title" x="${PANEL.left}" y="${PANEL.top - 10}">${title}${legend}</text>`,
    ...scenario.platform.outages.map((outage) => shade(outage, xOf)),
    ...[0, most / 2, most].map(
      (value) =>
        `<line class="grid" x1="${PANEL.left}" x2="${PANEL.width - PANEL.right}" y1="${yOf(value)}" y2="${yOf(value)}"/>` +
        `<text class="note" text-anchor="end" x="${PANEL.left - 6}" y="${Number(yOf(value)) + 4}">${value.toLocaleString('en')}</text>`,
    ),
    ...lines.map(({ valueOf }, index) => {
      const points = samples.map((sample) => ({ x: xOf(sample.atMs), value: valueOf(sample) }));
      return `<path class="${COLOURS[index]}" d="${pathOf(points, yOf)}"/>`;
    }),
    `<text class="note" x="${PANEL.left}" y="${PANEL.height - 4}">0 s</text>`,
    `<text class="note" text-anchor="end" x="${PANEL.width - PANEL.right}" y="${PANEL.height - 4}">${forMs / 1_000} s</text>`,
  ].join('\n');
}

function shade({ fromMs, toMs }: Outage, xOf: (atMs: number) => string): string {
  const x = xOf(fromMs);
  return `<rect class="outage" x="${x}" width="${(Number(xOf(toMs)) - Number(x)).toFixed(1)}" y="${PANEL.top}" height="${PLOT_HEIGHT}"/>`;
}

/** The line breaks where there is no value. */
function pathOf(
  points: readonly { readonly x: string; readonly value: number | undefined }[],
  yOf: (value: number) => string,
): string {
  return points
    .map(({ x, value }, index) => {
      if (value === undefined) return '';
      return `${points[index - 1]?.value === undefined ? 'M' : 'L'}${x} ${yOf(value)}`;
    })
    .join('');
}

function mostOf({ lines }: Panel, simulations: readonly NamedSimulation[]): number {
  let most = 0;
  for (const { simulation } of simulations)
    for (const sample of simulation.samples)
      for (const { valueOf } of lines) most = Math.max(most, valueOf(sample) ?? 0);
  return most;
}

/** The next of 1, 2 or 5 times a power of ten, and at least 2: a scale that is easy to read. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 2)));
  return ([1, 2, 5, 10].find((step) => step * power >= Math.max(value, 2)) ?? 10) * power;
}
