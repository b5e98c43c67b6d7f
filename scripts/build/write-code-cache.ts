// Writes V8's code cache of a file after the file has run, so that the cache contains the functions that a
// start calls. It is a separate program because V8 accepts only a cache that was written with the same flags.
import { renameSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { runWithCodeCache } from './run-with-code-cache.ts';

const [file = ''] = process.argv.slice(2);
const { script, cacheFile } = runWithCodeCache(pathToFileURL(file));
const temporary = `${cacheFile}.${process.pid}.tmp`;
writeFileSync(temporary, script.createCachedData());
renameSync(temporary, cacheFile);
process.stdout.write(cacheFile);
// An imported module may keep the process alive.
process.exit();
