import { build } from '../build/build.ts';
import { writeSbom } from '../build/sbom.ts';

const startedAt = performance.now();
const files = await build();
const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
console.log(files === 0 ? 'dist is up to date' : `built ${files} files in ${seconds} s`);
console.log(`dist/sbom.cdx.json lists ${await writeSbom()} components`);
