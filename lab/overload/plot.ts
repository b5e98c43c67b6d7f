import type { Result } from './play-case.ts';

const AREA = { left: 56, right: 700, top: 20, bottom: 304 };
const TIMES = [0.5, 1, 2, 5, 10];
const SHARES = [0, 0.25, 0.5, 0.75, 1];

/** Readable on a light and on a dark page; the curves also differ in their strokes. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  path { stroke: #d0d7de }
  .curve { fill: none; stroke-width: 2.5; stroke: #0969da }
  .second { stroke: #cf222e; stroke-dasharray: 6 4 }
  @media (prefers-color-scheme: dark) {
    text { fill: #c9d1d9 }
    path { stroke: #30363d }
    .curve { stroke: #58a6ff }
    .second { stroke: #ff7b72 }
  }`;

/**
 * Returns an SVG image of goodput against offered load, whose scale is logarithmic: one curve for each name.
 */
export function goodputPlot(curves: Readonly<Record<string, readonly Result[]>>): string {
  const { left, right, top, bottom } = AREA;
  const lines = [
    '<title>Goodput against offered load</title>',
    `<style>${STYLE}\n</style>`,
    ...TIMES.map(
      (times) => `<path d="M${x(times)} ${top}V${bottom}"/>${text(x(times), bottom + 20, `${times} ×`)}`,
    ),
    ...SHARES.map(
      (share) => `<path d="M${left} ${y(share)}H${right}"/>${text(30, y(share) + 4, `${share * 100} %`)}`,
    ),
    text((left + right) / 2, bottom + 44, 'offered load, in multiples of the capacity'),
    ...Object.entries(curves).flatMap(([name, results], index) => {
      const points = results.map(({ played, figures, capacity }) => [
        x(played.times),
        y(figures.goodput / capacity),
      ]);
      const style = `class="curve${index === 0 ? '' : ' second'}"`;
      const legend = left + 12 + 160 * index;
      return [
        `<path ${style} d="M${points.map((point) => point.join(' ')).join('L')}"/>`,
        `<path ${style} d="M${legend} ${bottom - 14}h28"/>${text(legend + 85, bottom - 10, name)}`,
      ];
    }),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 360" role="img">\n${lines.join('\n')}\n</svg>\n`;
}

function x(times: number): number {
  const [least = 1, most = 1] = [TIMES.at(0), TIMES.at(-1)];
  return Math.round(
    AREA.left + ((AREA.right - AREA.left) * Math.log(times / least)) / Math.log(most / least),
  );
}

function y(share: number): number {
  return Math.round(AREA.bottom - (AREA.bottom - AREA.top) * share * 0.95);
}

function text(atX: number, atY: number, content: string): string {
  return `<text x="${atX}" y="${atY}" text-anchor="middle">${content}</text>`;
}
