// Builds the workspace of the current folder for publication: ES modules by tsc into `dist`, and the same as
// CommonJS into `dist/cjs`. It is JavaScript because `npm pack` runs it on the Node.js of its user.
//
//   node package.mjs [<entry whose classes have descriptions of their members, which become documentation>]
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import { transformFileSync } from '@swc/core';

const CJS = 'dist/cjs';
/** `import.meta.url` becomes the same by `__filename`. */
const COMMONJS = {
  swcrc: false,
  module: { type: 'commonjs' },
  jsc: { target: 'es2023', parser: { syntax: 'ecmascript' } },
};

rmSync('dist', { recursive: true, force: true });
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const { status } = spawnSync(process.execPath, [tsc, '--project', 'tsconfig.build.json'], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

const [entry] = process.argv.slice(2);
if (entry !== undefined) await documentMembers(entry);
for (const path of readdirSync('dist', { recursive: true })) {
  const [source, target] = [join('dist', path), join(CJS, path)];
  if (!/\.(js|d\.ts)$/.test(path)) continue;
  mkdirSync(dirname(target), { recursive: true });
  if (path.endsWith('.js')) writeFileSync(target, transformFileSync(source, COMMONJS).code);
  else copyFileSync(source, target);
}
writeFileSync(join(CJS, 'package.json'), '{ "type": "commonjs" }\n');

/**
 * Writes the description of each member above it, in the declarations of the classes that an entry exports.
 */
async function documentMembers(module) {
  const { getMetadataStorage } = await import('class-validator');
  const classes = Object.entries(await import(pathToFileURL(resolve(module)).href));
  const described = new Map();
  for (const [name, type] of classes.filter(([, value]) => value?.members)) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
    const texts = rules.map(({ propertyName, context }) => [propertyName, context?.description]);
    described.set(name, new Map(texts.filter(([, text]) => text !== undefined)));
  }
  for (const path of readdirSync('dist', { recursive: true })) {
    if (!path.endsWith('.d.ts')) continue;
    const file = join('dist', path);
    const declarations = readFileSync(file, 'utf8');
    const documented = declarations.replaceAll(/^declare const (\w+)_base: [^]*?^};$/gm, (block, name) =>
      block.replaceAll(/^    readonly (\w+)\??: /gm, (line, member) => {
        const text = described.get(name)?.get(member);
        return text === undefined ? line : `    /** ${text} */\n${line}`;
      }),
    );
    writeFileSync(file, documented);
  }
}
