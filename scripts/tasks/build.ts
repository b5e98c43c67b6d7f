import { build, SBOM } from '../build/build.ts';
import { writeSbom } from '../build/sbom.ts';
import { root } from '../root.ts';

const startedAt = performance.now();
const { files, written } = await build(root);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
console.log(
  written === 0
    ? `dist is up to date (${files} files)`
    : `built ${written} of ${files} files in ${seconds} s`,
);
console.log(`dist/${SBOM} lists ${await writeSbom(root)} packages`);
