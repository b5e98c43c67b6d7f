import { type BusNames, CommandError, isCommandType } from '#contracts';

import type { Command } from '../../command/command.ts';
import { progressHeaders } from '../../command/progress.ts';
import { QUARANTINE_STARTS, SEQUENCE } from '../../envelope/own-headers.ts';
import { startOf } from '../../rabbitmq/retrying/quarantine.ts';
import type { Copy, Settlement } from '../settlement.ts';
import type { Step } from '../step.ts';

/** Moves a command that was found in the wrong lane, or that may kill the worker; stops one that did too often. */
export const route =
  (names: BusNames, deliveryLimit: number): Step =>
  (command, next) => {
    const { delivery, envelope, lane } = command;
    // A copy would not show what is wrong with it, and nothing is done for it but to answer.
    const isCut = envelope.fault?.code === 'MESSAGE_TOO_LARGE';
    if (isCut || envelope.violations.length > 0) return next(command);
    const starts = Number(envelope.own[QUARANTINE_STARTS]) || 1;
    const start = startOf(delivery, names.quarantine, starts, deliveryLimit);
    if (start.kind === 'poison') throw new CommandError('POISON_COMMAND');
    if (start.kind === 'quarantine') {
      return moveTo(names.quarantine, command, { [QUARANTINE_STARTS]: start.starts });
    }
    const home = names.lanes[lane];
    const isAtHome = delivery.queue === home || delivery.queue === names.quarantine;
    // One that its caller has the broker prefer goes behind those that had waited: a copy has no priority.
    const staysHere = isAtHome && !delivery.isPreferred;
    return staysHere || !isCommandType(envelope.type) ? next(command) : moveTo(home, command);
  };

/** The replies of a command that was postponed or redriven are numbered on wherever it goes. */
function moveTo(
  queue: string,
  { envelope, run }: Command,
  headers: Copy['headers'] = {},
): Promise<Settlement> {
  const progress = envelope.own[SEQUENCE] === undefined ? {} : progressHeaders(run);
  return Promise.resolve({ kind: 'move', copy: { queue, headers: { ...progress, ...headers } } });
}
