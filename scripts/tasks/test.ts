import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { installMissing } from '../debian.ts';
import { requireEngine } from '../broker/compose-broker.ts';
import { chooseRelease, requireInstallation } from '../broker/installation.ts';
import { runJest } from '../run-jest.ts';
import { root } from '../root.ts';
import { readPositive, runTask } from '../run-task.ts';

const test = (...parts: readonly string[]): string => join(root, 'test', ...parts);

/** Debian's packages that the extended tests use, each with a file that it brings. */
const PACKAGES = {
  'python3-pika': '/usr/lib/python3/dist-packages/pika/__init__.py',
  'python3-venv': '/usr/lib/python3.*/ensurepip/__init__.py',
  mypy: '/usr/bin/mypy',
  chromium: '/usr/bin/chromium',
  unzip: '/usr/bin/unzip',
  prometheus: '/usr/bin/promtool',
  'prometheus-alertmanager': '/usr/bin/amtool',
};

/** Each suite by the name of its npm script: how Jest is started for it, and where it begins to look for specs. */
const SUITES: Readonly<Record<string, { readonly options: readonly string[]; readonly pattern?: string }>> = {
  '': {
    options: [
      '/node_modules/',
      // These take ten seconds and more each: `test:slow`.
      '\\.slow\\.spec\\.ts$',
      // These need more than the machine has from this project: `test:extended`.
      `${test('extended')}/`,
      // These need a Docker engine: `test:compose`.
      `${test('compose')}/`,
      // These measure time, which is another one on a busy machine: `test:timing`.
      `${test('timing')}/`,
    ].map((pattern) => `--testPathIgnorePatterns=${pattern}`),
  },
  slow: { options: ['--testMatch', join(root, '**', '*.slow.spec.ts')] },
  // One at a time: a browser, a Prometheus and three callers are enough for two cores.
  extended: { options: ['--runInBand', '--testMatch', test('extended', '**', '*.spec.ts')] },
  // No broker but that of the images.
  compose: {
    options: [
      '--verbose',
      '--globalSetup=',
      '--globalTeardown=',
      '--testMatch',
      test('compose', '*.spec.ts'),
    ],
  },
  // One at a time: what runs beside a measurement is part of it.
  timing: { options: ['--runInBand', '--testMatch', test('timing', '*.spec.ts')] },
  fuzz: { options: [], pattern: test('e2e', 'fuzz') },
};

/** What else is given goes to Jest: patterns of paths, and options such as `-t`. */
const OPTIONS = {
  suite: { type: 'string' },
  /** RabbitMQ's; default: the installed one from 4.0 on, else the newest of Debian. */
  release: { type: 'string' },
  minutes: { type: 'string' },
  seed: { type: 'string' },
  path: { type: 'string' },
} as const;

/** Runs a suite, or what of it lies under some paths, on private brokers. */
await runTask(async () => {
  const args = process.argv.slice(2);
  const { values, tokens } = parseArgs({ args, options: OPTIONS, strict: false, tokens: true });
  const own = tokens.filter((token) => token.kind === 'option' && token.name in OPTIONS);
  const taken = own.flatMap((token) =>
    'inlineValue' in token && token.inlineValue ? [token.index] : [token.index, token.index + 1],
  );
  const rest = args.filter((_, index) => !taken.includes(index));
  const { suite = '', release, minutes, seed, path } = values as Record<string, string | undefined>;
  const chosen = SUITES[suite];
  if (chosen === undefined) throw new Error(`there is no suite ${suite}`);
  if (release !== undefined) {
    chooseRelease(release);
    console.log(`RabbitMQ ${(await requireInstallation()).version}`);
  }
  if (suite === 'extended') await installMissing(PACKAGES);
  if (suite === 'compose') await requireEngine();
  // The path of a case leads to it at once; a few seconds are for its neighbours.
  if (suite === 'fuzz')
    process.env['FUZZ_MINUTES'] = `${readPositive('minutes', minutes ?? (path === undefined ? '5' : '0.3'))}`;
  if (seed !== undefined) process.env['FUZZ_SEED'] = seed;
  if (path !== undefined) process.env['FUZZ_PATH'] = path;
  return runJest(chosen.options, chosen.pattern === undefined ? rest : [chosen.pattern, ...rest]);
});
