import { join } from 'node:path';

import { FLAGS } from '../launcher/flags.mjs';
import { Program } from '../processes/program.ts';
import { root } from '../root.ts';

const LOADER = new URL('load-typescript.mjs', import.meta.url).href;
const FLAGS_OF_SOURCES = [...FLAGS, '--enable-source-maps', '--conditions=@poker-bridge/source'];

/**
 * An app that runs from its TypeScript sources and restarts when an imported file is saved. It shares the
 * output of this process.
 *
 * @param app a folder of `apps`
 * @param variables its whole environment except PATH
 * @param flags further options of Node.js, such as `--inspect`
 */
export function startFromSources(
  app: 'sandbox' | 'worker',
  variables: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Program {
  const main = join(root, 'apps', app, 'src/main.ts');
  const watching = ['--watch', '--watch-preserve-output', `--import=${LOADER}`];
  const args = [...FLAGS_OF_SOURCES, ...watching, ...flags, main];
  // Halves the start, because most modules belong to packages, which do not change.
  const NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/poker-bridge-dev');
  return new Program(process.execPath, args, { NODE_COMPILE_CACHE, ...variables }, { isShown: true });
}
