import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

import { Browser } from '../support/browser.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import type { DrawnDashboard } from './drawn-panels.ts';

const WIDTH = 1_500;
const require = createRequire(import.meta.url);
const beside = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8');

/**
 * Draws it into a PNG with Chromium and uPlot.
 *
 * @throws Error if a script of the page fails
 */
export async function drawDashboard(dashboard: DrawnDashboard, file: string): Promise<void> {
  using folder = temporaryFolder();
  const page = folder.write('dashboard.html', pageOf(dashboard));
  await using browser = await Browser.start({ width: WIDTH, height: 900 });
  const { page: opened, complaints } = await browser.visit(pathToFileURL(page).href);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  writeFileSync(file, await opened.screenshot({ fullPage: true }));
}

function pageOf(dashboard: DrawnDashboard): string {
  const uPlot = readFileSync(require.resolve('uplot/dist/uPlot.iife.min.js'), 'utf8');
  const style = readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8');
  const data = JSON.stringify(dashboard).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>poker-bridge</title>
<style>${style}${beside('page.css')}</style>
<body></body>
<script>${uPlot}</script>
<script>const dashboard = ${data};</script>
<script>${beside('page.js')}</script>
</html>
`;
}
