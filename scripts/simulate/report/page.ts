import { escapeXml } from '../../escape-xml.ts';

/** One page that holds everything itself: the figure, the summary, and how it was made. */
export function page(svg: string, summary: readonly string[], commandLine: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>poker-bridge: simulation</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 14px system-ui, sans-serif; margin: 1.5rem; }
  svg { max-width: 100%; height: auto; }
</style>
<h1>Simulation</h1>
<p><code>${escapeXml(commandLine)}</code></p>
${svg}
<pre>${escapeXml(summary.join('\n'))}</pre>
</html>
`;
}
