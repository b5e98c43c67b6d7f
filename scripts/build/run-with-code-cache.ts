// A third of a worker's start: V8 need not compile what it has compiled at the build. The compile cache of Node.js has what V8
// compiles before a file runs, but not the thousands of functions that the file then calls once.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** What of esbuild's output makes a script that evaluates to a function: of CommonJS, and of `import.meta.url`. */
export const WRAPPER = {
  banner: { js: '(function (exports, require, module, __filename, __dirname, url) {' },
  footer: { js: '})' },
  define: { 'import.meta.url': 'url' },
};

/**
 * Runs a wrapped file of CommonJS, of ASCII alone, with the code beside it that V8 has compiled of it. If there is none, or
 * if V8 was started with other flags, it is compiled again.
 *
 * @returns what it exports, its script, and where its code is or belongs: another text has it elsewhere
 */
export function runCompiled(url: URL) {
  const file = fileURLToPath(url);
  const bytes = readFileSync(file);
  const codeFile = `${file}.${crc32(bytes).toString(16)}`;
  const script = new Script(bytes.toString('latin1'), {
    filename: url.href,
    cachedData: existsSync(codeFile) ? readFileSync(codeFile) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  const run = script.runInThisContext() as (...parts: readonly unknown[]) => void;
  run(module.exports, createRequire(file), module, file, dirname(file), url.href);
  return { exports: module.exports, script, codeFile };
}
