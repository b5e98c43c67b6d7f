import { readOperators, readSettings, readSomeSettings, SettingsError } from '#settings';

import { EXIT, type ExitCode } from '../exit.ts';
import { checkBroker } from './check-broker.ts';
import { checkOperator } from './check-platform.ts';
import { checkRedis } from './check-redis.ts';
import { checkSettings } from './check-settings.ts';
import { describeFinding, describeSum } from './describe-finding.ts';
import type { Finding } from './finding.ts';

const OF_BROKER = ['AMQP_URL', 'AMQP_PREFIX', 'REPORTS_RETRY_DELAYS_MS'] as const;
const OF_REDIS = ['REDIS_URL'] as const;

/**
 * Checks everything that a worker with the settings of the environment needs, and prints each finding as it is made.
 *
 * @param json for programs: one finding a line
 */
export async function doctor(json: boolean): Promise<ExitCode> {
  const findings: Finding[] = [];
  for await (const finding of examine(process.env)) {
    findings.push(finding);
    process.stdout.write(json ? `${JSON.stringify(finding)}\n` : describeFinding(finding));
  }
  if (!json) process.stdout.write(describeSum(findings));
  const faults = findings.filter(({ state }) => state === 'fail');
  if (faults.some(({ subject }) => subject === 'settings')) return EXIT.settings;
  return faults.length > 0 ? EXIT.failed : EXIT.success;
}

async function* examine(environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield* checkSettings(environment);
  // Settings that cannot be read have been told; the rest is checked with those that can.
  const broker = readable(() => readSomeSettings(OF_BROKER, environment));
  if (broker) yield* await checkBroker(broker);
  const redis = readable(() => readSomeSettings(OF_REDIS, environment));
  if (redis) yield* await checkRedis(redis);
  const operators = readable(() => readOperators(readSettings(environment)));
  for (const operator of operators ?? []) yield* await checkOperator(operator);
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
