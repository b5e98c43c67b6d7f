import { escapeXml } from '../../../scripts/escape-xml.ts';
import type { Summary } from './summary.ts';

const WIDTH = 800;
const LABEL_WIDTH = 280;
const VALUE_WIDTH = 70;
const ROW_HEIGHT = 34;
const TOP = 56;
const BAR_HEIGHT = 18;

/** Bars of the CPU of a command, with a line from the least to the most of the rounds; for light and dark pages. */
export function plot(summaries: readonly Summary[]): string {
  const height = TOP + summaries.length * ROW_HEIGHT + 12;
  const most = Math.max(...summaries.map(({ cpuMsPerCommand }) => cpuMsPerCommand.max));
  const scale = (WIDTH - LABEL_WIDTH - VALUE_WIDTH) / most;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">
<title id="title">Processor time of the worker for one command, in milliseconds</title>
<style>
  text { font: 14px system-ui, sans-serif; fill: #24292f; }
  .title { font-weight: 600; }
  .note { font-size: 12px; fill: #57606a; }
  .peer { fill: #8c959f; }
  .ours { fill: #1a7f37; }
  .range { stroke: #24292f; stroke-width: 1.5; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .note { fill: #8d96a0; }
    .peer { fill: #6e7681; }
    .ours { fill: #3fb950; }
    .range { stroke: #e6edf3; }
  }
</style>
<text class="title" x="8" y="20">Processor time of the worker for one command</text>
<text class="note" x="8" y="40">milliseconds, median of the rounds, and from the least to the most; less is better</text>
${summaries.map((summary, index) => row(summary, TOP + index * ROW_HEIGHT, scale)).join('\n')}
</svg>
`;
}

function row({ name, label, queueType, cpuMsPerCommand }: Summary, y: number, scale: number): string {
  const { median, min, max } = cpuMsPerCommand;
  const at = (ms: number): string => (LABEL_WIDTH + ms * scale).toFixed(1);
  const middle = y + BAR_HEIGHT / 2;
  const isOurs = name === 'ours' || name === 'other';
  return [
    `<text x="8" y="${middle + 5}">${escapeXml(label)} <tspan class="note">${queueType}</tspan></text>`,
    `<rect class="${isOurs ? 'ours' : 'peer'}" x="${LABEL_WIDTH}" y="${y}" width="${(median * scale).toFixed(1)}" height="${BAR_HEIGHT}" rx="2"/>`,
    `<line class="range" x1="${at(min)}" x2="${at(max)}" y1="${middle}" y2="${middle}"/>`,
    `<text x="${Number(at(max)) + 8}" y="${middle + 5}">${median.toFixed(3)}</text>`,
  ].join('\n');
}
