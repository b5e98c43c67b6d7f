import { join } from 'node:path';

import { runJest } from '../jest/run-jest.ts';
import { findInstallation } from '../broker/installation.ts';
import { chosenRelease } from '../broker/releases/releases.ts';
import { takeRelease } from '../jest/take-release.ts';
import { root } from '../root.ts';
import { runTask } from '../run-task.ts';

const LEFT_OUT = [
  '/node_modules/',
  // These take ten seconds and more each; `test:slow` runs them.
  '\\.slow\\.spec\\.ts$',
  // These need more than the machine has from this project; `test:extended` runs them.
  `${join(root, 'test', 'extended')}/`,
  // These measure time, which is another one on a busy machine; `test:timing` runs them.
  `${join(root, 'test', 'timing')}/`,
];

/** What only RabbitMQ 4 can be asked to do. */
const RABBITMQ_4 = `${join(root, 'test', 'e2e', 'rabbitmq-4')}/`;

/** Whether the brokers of this run are of release 3; what has to be brought is newer. */
function isOnRabbitMq3(): boolean {
  return (chosenRelease() ?? findInstallation()?.version ?? '').startsWith('3.');
}

await runTask(async () => {
  const patterns = await takeRelease(process.argv.slice(2));
  return runJest(
    [...LEFT_OUT, ...(isOnRabbitMq3() ? [RABBITMQ_4] : [])].map(
      (pattern) => `--testPathIgnorePatterns=${pattern}`,
    ),
    patterns,
  );
});
