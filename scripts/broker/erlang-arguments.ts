import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Installation } from './installation.ts';

/**
 * The applications whose modules a node loads when it starts, by their number. The loader asks every folder of its
 * path for every module, a hundred thousand failing file accesses unless the right folder comes first: with this
 * order, and without the plugins that nobody enables, a node starts in half the time.
 */
const LOADED =
  `rabbit kernel stdlib rabbit_common ssl inets compiler ra xmerl mnesia cuttlefish rabbitmq_prelaunch
  ranch sasl tools osiris observer_cli public_key syslog jsx syntax_tools systemd os_mon aten recon sysmon_handler
  credentials_obfuscation stdout_formatter seshat amqp10_common crypto gen_batch_server enough asn1 khepri
  khepri_mnesia_migration oauth2_client horus`.split(/\s+/);

/**
 * Arguments of the Erlang machine for a node that shares a small machine with what is tested: schedulers are not
 * bound to cores, where two nodes would choose the same one, and SIGINT is left to whoever started the node.
 */
export function erlangArguments(installation: Installation): readonly string[] {
  const folders = [join(installation.home, 'plugins'), join(installation.erlang, 'lib')];
  const paths = new Map(folders.flatMap(applicationsIn));
  const loaded = LOADED.flatMap((name) => paths.get(name) ?? []);
  return ['-noinput', '+B', 'i', '+stbt', 'u', '-pa', ...loaded];
}

/** Each application of a folder such as `stdlib-4.2`, with the place of its modules. */
function applicationsIn(folder: string): [name: string, path: string][] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [name.replace(/-[\d.]+.*$/, ''), join(folder, name, 'ebin')]);
}
