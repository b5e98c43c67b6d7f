import { spawn } from 'node:child_process';
import { delimiter, sep } from 'node:path';
import { npmEnvironment } from './npm-environment.mjs';

const ARGUMENTS = [
  'ci',
  '--include=dev',
  '--include=optional',
  '--engine-strict=false',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
];

/**
 * Runs `npm ci` in the repository, whatever the shell and the user's npm settings say about production, engines
 * or scripts (no package here needs its install script).
 *
 * @param {string} root
 * @returns {Promise<void>}
 * @throws {Error} with npm's output, if npm fails or is not there
 */
export async function npmCi(root) {
  const startedAt = Date.now();
  process.stderr.write('poker-bridge: installing packages with npm ci, which can take a minute … ');
  const { code, output } = await runNpmCi(root);
  process.stderr.write(
    `${code === 0 ? 'done' : 'failed'} after ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`,
  );
  if (code !== 0) throw new Error(`npm ci ended with ${code}\n${output}`);
}

/**
 * @param {string} root
 * @param {string[]} further arguments
 * @returns {Promise<{code: number | string, output: string}>}
 */
export function runNpmCi(root, further = []) {
  const env = npmEnvironment(process.env);
  // `npm run` puts node_modules/.bin first, and the `node` there is about to be removed.
  env.PATH = (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.endsWith(`node_modules${sep}.bin`))
    .join(delimiter);
  const [command, ...first] = npmCommand(process.env);
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...ARGUMENTS, ...further], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => reject(new Error(`npm does not start: ${error.message}`)));
    child.once('close', (code, signal) => resolve({ code: code ?? signal, output: output.trim() }));
  });
}

/** The npm that runs us, on its own Node.js; else the one in the PATH. */
function npmCommand({ npm_node_execpath: node, npm_execpath: npm }) {
  return node && npm?.endsWith('npm-cli.js')
    ? [node, npm]
    : [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}
