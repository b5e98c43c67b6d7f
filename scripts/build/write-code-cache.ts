// Writes what V8 has compiled of a file once that has run. It is a program of its own, since V8 believes only code that was
// compiled with the flags that it is started with.
import { renameSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

import { runCompiled } from './run-compiled.ts';

const [file = ''] = process.argv.slice(2);
const { script, codeFile } = runCompiled(pathToFileURL(file));
const temporary = `${codeFile}.${process.pid}.tmp`;
writeFileSync(temporary, script.createCachedData());
renameSync(temporary, codeFile);
process.stdout.write(codeFile);
// Nothing was started, but what was imported may wait for something.
process.exit();
