import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Asset {
  readonly contentType: string;
  readonly content: Buffer;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const require = createRequire(import.meta.url);

/** Each file of the page: its type, and where it is. Charts are drawn by uPlot, from its package. */
const FILES: ReadonlyMap<string, readonly [contentType: string, place: () => string | URL]> = new Map([
  ['index.html', ['text/html; charset=utf-8', own('index.html')]],
  ['console.css', [STYLE, own('console.css')]],
  ['console.js', [SCRIPT, own('console.js')]],
  ['connection.js', [SCRIPT, own('connection.js')]],
  ['elements.js', [SCRIPT, own('elements.js')]],
  ['plots.js', [SCRIPT, own('plots.js')]],
  ['sections.js', [SCRIPT, own('sections.js')]],
  ['icon.svg', ['image/svg+xml', own('icon.svg')]],
  ['uplot.js', [SCRIPT, () => require.resolve('uplot/dist/uPlot.iife.min.js')]],
  ['uplot.css', [STYLE, () => require.resolve('uplot/dist/uPlot.min.css')]],
]);

/** A file of the page; undefined if it has no such file. Read when it is asked for: a worker keeps none. */
export function assetOf(name: string): Asset | undefined {
  const [contentType, place] = FILES.get(name) ?? [];
  if (contentType === undefined || place === undefined) return undefined;
  return { contentType, content: readFileSync(place()) };
}

function own(name: string): () => URL {
  return () => new URL(`page/${name}`, import.meta.url);
}
