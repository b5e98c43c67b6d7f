// Preloaded by `npm run dev`: compiles each TypeScript file when it is imported. Node.js only removes types;
// Nest needs the metadata of decorators as well. The source map in each result lets breakpoints bind to the
// sources.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

import { transformSync } from '@swc/core';

const options = JSON.parse(readFileSync(new URL('../.swcrc', import.meta.url), 'utf8'));
options.jsc.rewriteRelativeImportExtensions = false;

registerHooks({
  load(url, context, nextLoad) {
    if (!/^file:.*\.ts$/.test(url)) return nextLoad(url, context);
    const filename = fileURLToPath(url);
    const text = readFileSync(filename, 'utf8');
    const { code } = transformSync(text, { ...options, filename, swcrc: false, sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
