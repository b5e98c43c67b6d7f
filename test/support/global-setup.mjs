import { globSync } from 'node:fs';
import { join } from 'node:path';

import { startBroker } from '../../scripts/broker/start-broker.ts';

const NEED_A_BROKER = ['integration', 'e2e', 'extended', 'timing'];

/**
 * Starts one private broker for the whole run, if a selected spec lies in a folder that needs one. It ends
 * with Jest's process, also if that is killed. TEST_AMQP_URL, if it is set, names a broker that is used
 * instead.
 */
export default async function globalSetup({ rootDir, testPathPatterns }) {
  if (process.env.TEST_AMQP_URL || !selectsOneIn(NEED_A_BROKER, rootDir, testPathPatterns)) return;
  const broker = await startBroker();
  process.env.TEST_AMQP_URL = broker.url;
  process.env.TEST_BROKER_VERSION = broker.node.installation.version;
  process.env.TEST_BROKER_NODE = JSON.stringify(broker.node);
  globalThis.__TEST_BROKER__ = broker;
}

function selectsOneIn(folders, rootDir, testPathPatterns) {
  const selected = testPathPatterns.toExecutor({ rootDir });
  return folders
    .flatMap((folder) => globSync(`test/${folder}/**/*.spec.ts`, { cwd: rootDir }))
    .some((path) => selected.isMatch(join(rootDir, path)));
}
