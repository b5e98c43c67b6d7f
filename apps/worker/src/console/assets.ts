import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

interface Asset {
  readonly contentType: string;
  readonly content: Buffer;
}

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';
const require = createRequire(import.meta.url);

/** Each file of the page: its type, and what it is imported as. */
const FILES: ReadonlyMap<string, readonly [contentType: string, specifier: string]> = new Map([
  ['index.html', ['text/html; charset=utf-8', '#console/index.html']],
  ['console.css', [STYLE, '#console/console.css']],
  ['console.js', [SCRIPT, '#console/console.js']],
  ['connection.js', [SCRIPT, '#console/connection.js']],
  ['elements.js', [SCRIPT, '#console/elements.js']],
  ['sections.js', [SCRIPT, '#console/sections.js']],
  ['icon.svg', ['image/svg+xml', '#console/icon.svg']],
]);

/** A file of the page; undefined if it has no such file. Read when it is asked for: a worker keeps none. */
export function assetOf(name: string): Asset | undefined {
  const [contentType, specifier] = FILES.get(name) ?? [];
  if (contentType === undefined || specifier === undefined) return undefined;
  return { contentType, content: readFileSync(require.resolve(specifier)) };
}
