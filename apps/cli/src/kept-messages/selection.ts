import type { Command } from 'commander';

import type { KeptMessage } from '#messaging/client';

import { usageError } from '../exit.ts';
import { readMoment } from '../input/moment.ts';

/** Which messages are meant: those that fit every option that is given, and any of its values. */
export interface SelectionOptions {
  readonly id?: readonly string[];
  readonly reason?: readonly string[];
  readonly type?: readonly string[];
  readonly caller?: readonly string[];
  readonly queue?: readonly string[];
  /** Epoch milliseconds. */
  readonly since?: number;
  readonly all?: true;
}

export type Kind = 'dead letters' | 'parked replies';

/** Adds the options that choose messages, which each subcommand of the two groups has. */
export function addSelection(command: Command, kind: Kind): Command {
  const each = (flags: string, what: string): Command => command.option(flags, what, collect);
  each('--id <ID>', 'of this command; may be given again, like the next ones');
  each('--reason <CODE>', 'with this reason');
  each('--type <TYPE>', 'of this type');
  if (kind === 'dead letters') each('--caller <USER>', 'of this caller');
  else each('--queue <NAME>', 'that were sent to this queue');
  return command
    .option('--since <TIME>', 'failed since: 30m, 12h, 2d, or ISO 8601', readMoment)
    .option('--all', 'all of them');
}

/** @throws ExitError if nothing is chosen, or everything and something */
export function requireSelection(options: SelectionOptions): void {
  const { all, id, reason, type, caller, queue, since } = options;
  const isNarrowed = [id, reason, type, caller, queue, since].some((option) => option !== undefined);
  if (all && isNarrowed) throw usageError('--all cannot be combined with another selection');
  if (!all && !isNarrowed)
    throw usageError('select by --id, --reason, --type or --since (--help has all options), or give --all');
}

/** Whether a message is meant. */
export function isSelected(
  { id, commandId, reason, type, caller, queue, failedAt }: KeptMessage,
  options: SelectionOptions,
): boolean {
  const { since } = options;
  return (
    fits(options.id, id, commandId) &&
    fits(options.reason, reason) &&
    fits(options.type, type) &&
    fits(options.caller, caller ?? 'anonymous') &&
    fits(options.queue, queue) &&
    (since === undefined || (failedAt !== undefined && Date.parse(failedAt) >= since))
  );
}

function fits(values: readonly string[] | undefined, ...facts: readonly string[]): boolean {
  return values === undefined || facts.some((fact) => values.includes(fact));
}

function collect(value: string, values: readonly string[] = []): readonly string[] {
  return [...values, value];
}
