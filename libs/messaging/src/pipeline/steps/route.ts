import { type BusNames, CommandError, isCommandType } from '#contracts';

import { QUARANTINE_STARTS } from '../../envelope/own-headers.ts';
import { startOf } from '../../rabbitmq/retrying/quarantine.ts';
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
      return Promise.resolve({
        kind: 'move',
        copy: { queue: names.quarantine, headers: { [QUARANTINE_STARTS]: start.starts } },
      });
    }
    const home = names.lanes[lane];
    // Behind those that had waited: a copy has no priority.
    if (delivery.isPreferred && isCommandType(envelope.type)) {
      return Promise.resolve({ kind: 'move', copy: { queue: home, headers: {} } });
    }
    const isAtHome = delivery.queue === home || delivery.queue === names.quarantine;
    if (isAtHome || !isCommandType(envelope.type)) return next(command);
    return Promise.resolve({ kind: 'move', copy: { queue: home, headers: {} } });
  };
