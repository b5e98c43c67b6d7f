import { type Command, InvalidArgumentError } from 'commander';

import type { KeptMessage } from '#messaging/client';

import { usageError } from '../exit.ts';

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

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const AGO = /^(\d{1,6})([smhd])$/;
const ISO_8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2}))?$/;

/** Adds the options that choose messages, which each subcommand of the two groups has. */
export function addSelection(command: Command, kind: Kind): Command {
  const each = (flags: string, what: string): Command => command.option(flags, what, collect);
  each('--id <ID>', 'of this command; may be given again, like the next ones');
  each('--reason <CODE>', 'with this reason');
  each('--type <TYPE>', 'of this type');
  if (kind === 'dead letters') each('--caller <USER>', 'of this caller');
  else each('--queue <NAME>', 'that were sent to this queue');
  return command
    .option('--since <TIME>', 'failed since: 30m, 12h, 2d, or ISO 8601', readSince)
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

function readSince(text: string): number {
  const [, count, unit = ''] = AGO.exec(text) ?? [];
  if (count !== undefined) return Date.now() - Number(count) * (UNIT_MS[unit] ?? 0);
  const atMs = ISO_8601.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(atMs)) return atMs;
  throw new InvalidArgumentError(
    'It must be a time ago, such as 30m, 12h or 2d, or a date or time of ISO 8601 with a zone.',
  );
}
