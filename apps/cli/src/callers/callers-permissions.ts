import { brokerUserOf, workerPermissions } from '#messaging/client';
import { type CallerRules, readCallers, readSomeSettings } from '#settings';

import { EXIT, ExitError, usageError } from '../exit.ts';
import { type Permissions, permissionsOf } from './permissions.ts';

/** All that have no rules of their own: no user of the broker. */
const OTHERS = '*';

/**
 * Prints the commands that give the worker, and each caller of a file, its permissions on the broker.
 *
 * @param file default: that of `CALLERS_FILE`
 * @throws ExitError if there is no file, or it cannot be used
 */
export function callersPermissions(file: string | undefined): void {
  const settings = readSomeSettings(['CALLERS_FILE', 'AMQP_URL', 'AMQP_PREFIX'], process.env);
  const path = file ?? settings.CALLERS_FILE;
  if (path === undefined) throw usageError('name a file, or set CALLERS_FILE');
  const {
    AMQP_PREFIX: prefix,
    AMQP_URL: [url = ''],
  } = settings;
  const callers = readCallers(path);
  const worker = brokerUserOf(url);
  const vhost = decodeURIComponent(URL.parse(url)?.pathname.slice(1) ?? '') || '/';
  const print = (user: string, what: string, { configure, write, read }: Permissions): void => {
    const words = [vhost, user, configure, write, read].map(quoted);
    process.stdout.write(`${comment(`${user}: ${what}`)}rabbitmqctl set_permissions -p ${words.join(' ')}\n`);
  };
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

/** A line that a shell ignores, whatever is in it. */
function comment(text: string): string {
  return `# ${text.replace(/\p{Cc}+/gu, ' ')}\n`;
}

function describe({ commands, operators }: CallerRules): string {
  const what = commands ? [...commands].join(', ') : 'every command';
  const whose = operators ? [...operators].join(', ') : 'every operator';
  return `${what || 'no command'}, for ${whose || 'no operator'}`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
