import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

import { requireEngine } from '../broker/compose-broker.ts';
import { chooseRelease, requireInstallation } from '../broker/installation.ts';
import { build } from '../build/build.ts';
import { installMissing } from '../debian.ts';
import { FLAGS } from '../launcher/flags.mjs';
import { Program } from '../processes/program.ts';
import { root } from '../root.ts';
import { readPositive, runTask, toldToStop } from '../run-task.ts';

/** The Debian packages of the extended tests, each with a file that it installs. */
const PACKAGES = {
  'python3-pika': '/usr/lib/python3/dist-packages/pika/__init__.py',
  'python3-venv': '/usr/lib/python3.*/ensurepip/__init__.py',
  mypy: '/usr/bin/mypy',
  chromium: '/usr/bin/chromium',
  unzip: '/usr/bin/unzip',
  prometheus: '/usr/bin/promtool',
  'prometheus-alertmanager': '/usr/bin/amtool',
};

const inTest = (...parts: readonly string[]): string => join(root, 'test', ...parts);
const inFolder = (folder: string, ...options: readonly string[]) => [
  ...options,
  '--testMatch',
  inTest(folder, '**', '*.spec.ts'),
];

const SUITES: Readonly<Record<string, readonly string[]>> = {
  // All specs except those of the other suites. Each slow spec takes ten seconds or more.
  '': ['/node_modules/', String.raw`\.slow\.spec\.ts$`, inTest('(extended|compose|timing)/')].map(
    (pattern) => `--testPathIgnorePatterns=${pattern}`,
  ),
  slow: ['--testMatch', join(root, '**', '*.slow.spec.ts')],
  fuzz: [],
  // These specs need programs that this project does not bring. One browser, one Prometheus and three callers
  // are enough for two cores.
  extended: inFolder('extended', '--runInBand'),
  // These specs need a Docker engine, and only the broker of the images.
  compose: inFolder('compose', '--verbose', '--globalSetup=', '--globalTeardown='),
  // These specs measure time, so other processes would distort their results.
  timing: inFolder('timing', '--runInBand'),
};

const JEST = [...FLAGS, '--experimental-vm-modules', join(root, 'node_modules', 'jest', 'bin', 'jest.js')];
/** More failed files than this are not a coincidence. */
const REPEATED_FILES = 6;

interface FileOutcome {
  readonly path: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Runs a suite, or its specs under some paths, on private brokers. */
await runTask(async () => {
  const args = process.argv.slice(2);
  const names = ['suite', 'release', 'minutes', 'seed', 'path'];
  const [suite = '', release, minutes, seed, path] = names.map((name) => take(args, name));
  const options = SUITES[suite];
  if (options === undefined) throw new Error(`there is no suite ${suite}`);
  chooseRelease(release);
  if (release !== undefined) console.log(`RabbitMQ ${(await requireInstallation()).version}`);
  if (suite === 'extended') await installMissing(PACKAGES);
  if (suite === 'compose') await requireEngine();
  Object.assign(process.env, seed && { FUZZ_SEED: seed }, path && { FUZZ_PATH: path });
  if (suite === 'fuzz') {
    // A seed leads straight to the failing case; a few more seconds test similar ones.
    process.env['FUZZ_MINUTES'] = `${readPositive('minutes', minutes ?? (path ? '0.3' : '5'))}`;
    args.unshift(inTest('e2e', 'fuzz'));
  }
  process.exitCode = await runJest(options, args);
});

/**
 * Removes an option from the arguments. Jest receives the others: patterns of paths, and options such as
 * `-t`.
 */
function take(args: string[], name: string): string | undefined {
  const index = args.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (index === -1) return undefined;
  const [option = ''] = args.splice(index, 1);
  return option.includes('=') ? option.slice(option.indexOf('=') + 1) : args.splice(index, 1)[0];
}

/**
 * Runs Jest on what is built, and prints `N passed, N failed` last (`, N skipped` if some were). In CI (`CI`
 * is set), whose machine may be busy with something else, the files that failed run once more, one at a time;
 * those that then pass are named.
 *
 * @param patterns of the specs' paths; none for all of them
 * @returns its exit code
 */
async function runJest(options: readonly string[], patterns: readonly string[]): Promise<number> {
  await build();
  // Patterns follow an option with a single value, because Jest would read them as values of an option with
  // several.
  const config = ['--config', join(root, 'jest.config.mjs')];
  let { code, files } = await jestOnce([...options, ...config, ...patterns]);
  const failed = files.filter((file) => file.failed > 0);
  if (process.env['CI'] && failed.length > 0 && failed.length <= REPEATED_FILES) {
    const paths = failed.map((file) => file.path);
    console.log(`\nfailed, and run once more by themselves:\n${paths.join('\n')}\n`);
    const again = await jestOnce([...options, '--runInBand', ...config, '--runTestsByPath', ...paths]);
    const unstable = again.files.filter((file) => file.failed === 0).map((file) => file.path);
    if (unstable.length > 0) console.log(`failed once, passed the second time:\n${unstable.join('\n')}`);
    ({ code } = again);
    files = [...files.filter((file) => file.failed === 0), ...again.files];
  }
  const [passed, failures, skipped = 0] = (['passed', 'failed', 'skipped'] as const).map((count) =>
    files.reduce((sum, file) => sum + file[count], 0),
  );
  console.log(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return code;
}

/**
 * Runs Jest on this process's terminal until it ends or this process receives a signal to stop. In the latter
 * case, there are no outcomes.
 */
async function jestOnce(args: readonly string[]): Promise<{ code: number; files: readonly FileOutcome[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'poker-bridge-test-'));
  const summaryFile = join(folder, 'summary');
  const env = { ...process.env, TEST_SUMMARY_FILE: summaryFile };
  // This option is for Node.js, not for Jest.
  const inspect = args.filter((arg) => arg.startsWith('--inspect'));
  const rest = args.filter((arg) => !inspect.includes(arg));
  const program = [...inspect, ...JEST, ...rest];
  await using jest = new Program(process.execPath, program, env, { folder, isShown: true });
  const stopped = toldToStop().then((signal) => ({ code: null, signal }));
  const { code, signal } = await Promise.race([jest.exited, stopped]);
  const written = existsSync(summaryFile) ? readFileSync(summaryFile, 'utf8') : '[]';
  const files = JSON.parse(written) as FileOutcome[];
  return { code: code ?? (signal === null ? 1 : 128 + constants.signals[signal]), files };
}
