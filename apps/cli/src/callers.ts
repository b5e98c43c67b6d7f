import type { Command } from 'commander';

import { busNames } from '#contracts';
import { workerPermissions } from '#messaging/operator';
import { brokerUserOf, DIRECT_REPLY_TO, type Permissions, permissionsLine } from '#rabbitmq';
import { type CallerRules, readCallers, readSomeSettings } from '#settings';

import { EXIT, ExitError, usageError } from './exit.ts';
import { SERVER_NAMED } from './servers.ts';

const EXAMPLES = `
Examples:
  $ poker-bridge callers permissions callers.json
  $ poker-bridge callers permissions callers.json | sh

Create the users first, with rabbitmqctl add_user: that of AMQP_URL for the worker, and one for each caller.`;

/** The entry of all callers without rules of their own; it is no user of the broker. */
const OTHERS = '*';
/** Names of the broker, the default exchange (`amq.default`) and the exchange of its trace among them. */
const OF_BROKER = 'amq.';

export function define(command: Command): void {
  command
    .command('permissions')
    .description('prints the rabbitmqctl lines that give the worker and each caller the least that it needs')
    .argument('[FILE]', 'the rules as JSON (default: the file of CALLERS_FILE)')
    .addHelpText('after', EXAMPLES)
    .action(printPermissions);
}

function printPermissions(file: string | undefined): void {
  const settings = readSomeSettings(['CALLERS_FILE', 'AMQP_URL', 'AMQP_PREFIX'], process.env);
  const { CALLERS_FILE, AMQP_URL: urls, AMQP_PREFIX: prefix } = settings;
  const path = file ?? CALLERS_FILE;
  if (path === undefined) throw usageError('name a file, or set CALLERS_FILE');
  const [url = ''] = urls;
  const callers = readCallers(path);
  const worker = brokerUserOf(url);
  const print = (user: string, what: string, permissions: Permissions): void =>
    void process.stdout.write(`${comment(`${user}: ${what}`)}${permissionsLine(url, permissions, user)}\n`);
  print(worker, 'the worker', workerPermissions(prefix));
  for (const [caller, rules] of callers) {
    if (caller === OTHERS) continue;
    if (caller === worker) {
      throw new ExitError(EXIT.settings, `CALLERS_FILE: ${caller} is the worker's own user, by AMQP_URL`);
    }
    const permissions = permissionsOf(caller, rules, prefix);
    const read = new RegExp(permissions.read);
    const met = [...callers.keys()].filter((other) => other !== caller && read.test(`${other}.replies`));
    print(caller, describe(rules), permissions);
    if (met.length > 0) process.stdout.write(comment(`${caller} may read replies of ${met.join(', ')}, too`));
  }
}

/**
 * The least that a caller needs: it declares and reads its reply queues, publishes to the exchange of commands, and may
 * bind an exchange of its own to that one. It may not write to the default exchange, from which every queue is reached.
 * Names of the service and of the broker are never among its own, whatever its rules say.
 */
export function permissionsOf(caller: string, { replyTo }: CallerRules, prefix: string): Permissions {
  const { reserved, commands } = busNames(prefix);
  const queues = (replyTo ?? [`${caller}.*`, `${SERVER_NAMED}*`]).filter((name) => name !== DIRECT_REPLY_TO);
  const names = [...queues, `${caller}.commands`];
  const mayMeet = names.some((name) => [reserved, OF_BROKER].some((start) => meets(name, start)));
  const others = `(?!${escaped(reserved)}|${escaped(OF_BROKER)}(?!${escaped(SERVER_NAMED.slice(OF_BROKER.length))}))`;
  const patterns = names.map(patternOf);
  const own = mayMeet ? [`${others}(${patterns.join('|')})`] : patterns;
  const ownNames = `^(${own.join('|')})`;
  return { configure: ownNames, write: `^(${[...own, patternOf(commands)].join('|')})`, read: ownNames };
}

/** Whether a name, or one that begins like it, may begin with `start`; names that the broker makes up do not count. */
function meets(name: string, start: string): boolean {
  if (name.startsWith(SERVER_NAMED)) return false;
  return name.startsWith(start) || (name.endsWith('*') && start.startsWith(name.slice(0, -1)));
}

function patternOf(name: string): string {
  return name.endsWith('*') ? escaped(name.slice(0, -1)) : `${escaped(name)}$`;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A line that a shell ignores, whatever is in it. */
function comment(text: string): string {
  return `# ${text.replace(/\p{Cc}+/gu, ' ')}\n`;
}

function describe({ commands, operators }: CallerRules): string {
  const what = commands ? [...commands].join(', ') : 'every command';
  const whose = operators ? [...operators].join(', ') : 'every operator';
  return `${what || 'no command'}, for ${whose || 'no operator'}`;
}
