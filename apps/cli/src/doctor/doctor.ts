import { within } from '#rabbitmq';
import { readOperators, readSettings, readSomeSettings, SettingsError } from '#settings';

import { EXIT, type ExitCode } from '../exit.ts';
import { TLS_OF_BROKER, TLS_OF_REDIS, tlsOf } from '../input/tls-of.ts';
import { checkBroker } from './check-broker.ts';
import { checkOperator } from './check-platform.ts';
import { checkRedis } from './check-redis.ts';
import { checkSettings } from './check-settings.ts';
import { describeFinding, describeSum } from './describe-finding.ts';
import { fail, type Finding } from './finding.ts';

const OF_BROKER = ['AMQP_URL', 'AMQP_PREFIX', 'REPORTS_RETRY_DELAYS_MS', ...TLS_OF_BROKER] as const;
const OF_REDIS = ['REDIS_URL', ...TLS_OF_REDIS] as const;

/**
 * Checks everything that a worker with the settings of the environment needs, and prints each finding as it is made.
 *
 * @param json for programs: one finding a line
 * @param deadlineMs how long all of it may take
 */
export async function doctor(json: boolean, deadlineMs: number): Promise<ExitCode> {
  const findings: Finding[] = [];
  for await (const finding of untilLate(examine(process.env), deadlineMs)) {
    findings.push(finding);
    process.stdout.write(json ? `${JSON.stringify(finding)}\n` : describeFinding(finding));
  }
  if (!json) process.stdout.write(describeSum(findings));
  const faults = findings.filter(({ state }) => state === 'fail');
  if (faults.some(({ subject }) => subject === 'settings')) return EXIT.settings;
  return faults.length > 0 ? EXIT.failed : EXIT.success;
}

/** Ends with a fault if the findings do not come in time. */
async function* untilLate(findings: AsyncGenerator<Finding>, deadlineMs: number): AsyncGenerator<Finding> {
  const endMs = performance.now() + deadlineMs;
  for (;;) {
    const leftMs = endMs - performance.now();
    const next = await within(leftMs, 'a question', findings.next()).catch((error: unknown) => {
      if (performance.now() < endMs) throw error;
    });
    if (next?.done) return;
    if (!next) {
      const message = `not everything was looked at within ${deadlineMs} ms`;
      yield fail('doctor', message, 'look at what comes after the last line above, and ask again');
      return;
    }
    yield next.value;
  }
}

async function* examine(environment: NodeJS.ProcessEnv): AsyncGenerator<Finding> {
  yield* checkSettings(environment);
  // Settings that cannot be read have been told; the rest is checked with those that can.
  const broker = readable(() => readSomeSettings(OF_BROKER, environment));
  const tls = readable(() => broker && tlsOf('AMQP', broker, broker.AMQP_URL));
  if (broker && tls) yield* await checkBroker(broker, tls);
  const redis = readable(() => readSomeSettings(OF_REDIS, environment));
  if (redis && readable(() => tlsOf('REDIS', redis, [redis.REDIS_URL ?? '']))) {
    yield* await checkRedis(redis);
  }
  const platform = readable(() => platformOf(environment));
  if (!platform) return;
  const checks = platform.operators.map((operator) => checkOperator(operator, platform.transport));
  for (const found of await Promise.all(checks)) yield* found;
}

function platformOf(environment: NodeJS.ProcessEnv) {
  const settings = readSettings(environment);
  const operators = readOperators(settings);
  const addresses = operators.flatMap(({ baseUrl, apiUrl }) => [baseUrl, apiUrl]);
  const tls = tlsOf('PLATFORM', settings, addresses);
  return { operators, transport: { tls, proxyUrl: settings.PLATFORM_PROXY_URL } };
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SettingsError) return undefined;
    throw error;
  }
}
