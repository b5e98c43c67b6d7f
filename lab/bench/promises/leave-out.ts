import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { bundle, writeCodeCache } from '../../../scripts/build/bundle.ts';
import { root } from '../../../scripts/root.ts';

/** Located in the repository so that packages can be resolved from it. */
const VARIANTS = join(root, '.run/bench-promises');

/** A promise of the worker, and modules that do the same without it. */
export interface Promised {
  readonly label: string;
  /**
   * Exports that replace those of a built module, by its path. `original` has the replaced exports of the
   * module itself.
   */
  readonly without: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const PASS_ON = '(next) => next';

/** In the order in which they are left out. */
export const PROMISES: readonly Promised[] = [
  {
    label: 'validation',
    without: { 'libs/contracts/src/commands/validate-command': { validateCommand: '(_, data) => data' } },
  },
  {
    label: 'deduplication in memory',
    without: { 'libs/messaging/src/pipeline/deduplicate': { deduplicate: `() => ${PASS_ON}` } },
  },
  {
    label: 'deadline',
    without: { 'libs/messaging/src/pipeline/run': { deadline: PASS_ON } },
  },
  {
    label: 'circuit, retries and shares',
    without: {
      'libs/messaging/src/pipeline/share': { share: `() => ${PASS_ON}` },
      'libs/platform/src/calls/operation-calls': {
        OperationCalls: `class extends original.OperationCalls {
          async make({ connections, options, credentials, data }) {
            const { maxAnswerBytes, read } = DEFINITIONS[this.operation];
            const end = await connections.acquire().request(options, 5000, maxAnswerBytes);
            return read(await readBody(end, maxAnswerBytes), credentials, data);
          }
        };
        import { readBody } from '../answers/document.js';
        import { DEFINITIONS } from '../operations/operations.js'`,
      },
    },
  },
  {
    label: 'log line',
    without: {
      'apps/worker/src/observers/observers': {
        busObserver: `(logger, ...more) =>
          original.busObserver(Object.create(logger, { info: { value() {} } }), ...more)`,
      },
    },
  },
  {
    label: 'metrics',
    without: {
      'libs/telemetry/src/plain-metric': {
        PlainMetric: `class extends original.PlainMetric {
          #only;
          labels(...values) { return (this.#only ??= super.labels(...values)); }
        }`,
        Durations: 'class extends original.Durations { observe() {} }',
      },
    },
  },
  {
    label: 'confirmed replies',
    without: {
      'libs/rabbitmq/src/publishing/confirmed-publisher': {
        ConfirmedPublisher: `class extends original.ConfirmedPublisher {
          attach(model) {
            model.createConfirmChannel = async () => {
              const pushConfirmCallback = (callback) => queueMicrotask(() => callback(null));
              return Object.assign(await model.createChannel(), { pushConfirmCallback });
            };
            return super.attach(model);
          }
        }`,
      },
    },
  },
];

/**
 * Builds the worker without some promises, from `dist`. The worker itself has no switch for this.
 *
 * @returns a folder for `startOurWorker`
 */
export async function buildWithout(left: readonly Promised[], name: string): Promise<string> {
  const folder = join(VARIANTS, name);
  const dist = join(folder, 'dist');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'dist'), dist, { recursive: true });
  // Names such as `#contracts` then mean the copy.
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  for (const { without } of left) {
    for (const [module, exports] of Object.entries(without)) replaceExports(join(dist, module), exports);
  }
  for (const [path, text] of await bundle(dist)) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
  await writeCodeCache(dist);
  return folder;
}

function replaceExports(module: string, exports: Readonly<Record<string, string>>): void {
  const original = `./${basename(module)}.original.js`;
  renameSync(`${module}.js`, `${module}.original.js`);
  const names = Object.keys(exports);
  writeFileSync(
    `${module}.js`,
    [
      `export * from '${original}';`,
      // esbuild rejects a name that the module does not export.
      `import { ${names.map((name) => `${name} as _${name}`).join(', ')} } from '${original}';`,
      `const original = { ${names.map((name) => `${name}: _${name}`).join(', ')} };`,
      ...Object.entries(exports).map(([name, value]) => `export const ${name} = ${value};`),
    ].join('\n'),
  );
}
