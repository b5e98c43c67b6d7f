import type { Command } from 'commander';

import { inspectRedis } from '#messaging/operator';
import { within } from '#rabbitmq';
import {
  readCallers,
  readOperators,
  readSettings,
  readSomeSettings,
  refuseCleartext,
  SettingsError,
  warningsOf,
} from '#settings';

import { EXIT } from '../exit.ts';
import { readDeadline } from '../input.ts';
import { jsonLine } from '../output.ts';
import { tlsOf, transportOf } from '../servers.ts';
import { checkBroker } from './check-broker.ts';
import { checkOperator } from './check-platform.ts';
import { describeFinding, describeSum, fail, type Finding, ok, warn } from './finding.ts';

const DEADLINE_MS = 60_000;

const EXAMPLES = `
Examples:
  $ poker-bridge doctor
  $ poker-bridge doctor --json | jq 'select(.state != "ok")'

It needs the settings of a worker, and changes nothing on the broker. It reads one record of each report from the
platform, and requests a session and a game for the player poker-bridge-doctor with an unknown authType, which the
platform rejects.`;

const REDIS_SETTINGS = ['REDIS_URL', 'REDIS_TLS_CA', 'REDIS_TLS_CERT', 'REDIS_TLS_KEY'] as const;
const REDIS_AWAY =
  'check host, port, user and password in REDIS_URL; workers keep running, each with a memory of its own';
const FOR_SETTINGS = 'no worker starts before; docs/settings.md lists every variable';

/** The checks, in order. Each reads only its own settings; the first one reports all invalid settings. */
const CHECKS = [checkSettings, checkBroker, checkRedis, checkPlatforms];

export function define(command: Command): void {
  command
    .option('--deadline-ms <MS>', 'how long all checks may take', readDeadline, DEADLINE_MS)
    .option('--json', 'one finding a line: {subject, state, message, advice}')
    .addHelpText('after', EXAMPLES)
    .action(doctor);
}

/**
 * Checks everything that a worker with the settings of the environment needs, and prints each finding at
 * once.
 */
async function doctor({ json, deadlineMs }: { json?: true; deadlineMs: number }): Promise<void> {
  const endMs = performance.now() + deadlineMs;
  const findings: Finding[] = [];
  const print = (finding: Finding): void => {
    findings.push(finding);
    process.stdout.write(json ? `${jsonLine(finding)}\n` : describeFinding(finding));
  };
  try {
    for (const check of CHECKS) {
      const checked = within(endMs - performance.now(), 'a check', check());
      const found = await checked.catch((error: unknown) => {
        if (!(error instanceof SettingsError)) throw error;
        if (check !== checkSettings) return [];
        return error.faults.map(({ variable, reason }) =>
          fail('settings', `${variable}: ${reason}`, FOR_SETTINGS),
        );
      });
      for (const finding of found) print(finding);
    }
  } catch (error) {
    if (performance.now() < endMs) throw error;
    const advice = 'the check after the last line above did not end; repeat with a longer --deadline-ms';
    print(fail('doctor', `not all checks ended within ${deadlineMs} ms`, advice));
  }
  if (!json) process.stdout.write(describeSum(findings));
  const faults = findings.filter(({ state }) => state === 'fail');
  if (faults.length > 0) process.exitCode = EXIT.failed;
  if (faults.some(({ subject }) => subject === 'settings')) process.exitCode = EXIT.settings;
  // A pending request would keep the process alive.
  process.exit();
}

async function checkSettings(): Promise<Finding[]> {
  const settings = readSettings(process.env);
  const operators = readOperators(settings);
  refuseCleartext(settings, operators, process.env);
  if (settings.CALLERS_FILE !== undefined) readCallers(settings.CALLERS_FILE);
  tlsOf('AMQP', settings, settings.AMQP_URL);
  tlsOf('REDIS', settings, [settings.REDIS_URL ?? '']);
  transportOf(settings, operators);
  const names = operators.map(({ name }) => name).join(', ');
  const warnings = warningsOf(settings, operators, process.env);
  const doubtful = warnings.map((message) => warn('settings', message, 'change it, unless it is intended'));
  return [ok('settings', `can be used; credentials of ${names}`), ...doubtful];
}

async function checkRedis(): Promise<Finding[]> {
  const settings = readSomeSettings(REDIS_SETTINGS, process.env);
  const { REDIS_URL: url } = settings;
  if (url === undefined) {
    return [ok('Redis', 'REDIS_URL is not set: each worker recognises the repeats that it sees itself')];
  }
  const redis = await inspectRedis(url, tlsOf('REDIS', settings, [url]));
  if (redis.kind === 'away') return [fail('Redis', `does not answer: ${redis.reason}`, REDIS_AWAY)];
  if (!redis.mayEvict) return [ok('Redis', 'answers')];
  const message = `may remove identities before their time (maxmemory-policy ${redis.evictionPolicy})`;
  return [warn('Redis', message, 'set maxmemory-policy noeviction, or give this service a Redis of its own')];
}

async function checkPlatforms(): Promise<Finding[]> {
  const settings = readSettings(process.env);
  const operators = readOperators(settings);
  const transport = transportOf(settings, operators);
  return (await Promise.all(operators.map((operator) => checkOperator(operator, transport)))).flat();
}
