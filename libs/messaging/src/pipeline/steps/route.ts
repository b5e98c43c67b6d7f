import { type BusNames, CommandError, isCommandType, type Lane } from '#contracts';

import type { Command } from '../../command/command.ts';
import { QUARANTINE_STARTS } from '../../envelope/own-headers.ts';
import { startOf } from '../../rabbitmq/retrying/quarantine.ts';
import { Moves } from '../../rabbitmq/retrying/moves.ts';
import type { Turns } from '../../rabbitmq/retrying/turns.ts';
import type { Settlement } from '../settlement.ts';
import type { Next, Step } from '../step.ts';

export interface RouteOptions {
  readonly names: BusNames;
  /** Starts in quarantine before a command is poison (setting `DELIVERY_LIMIT`). */
  readonly deliveryLimit: number;
  /** Of what runs alone in quarantine: a report there takes minutes, and no player waits for it. */
  readonly turns: Readonly<Record<Lane, Turns>>;
}

/** Moves a command that was found in the wrong lane, or that may kill the worker; stops one that did too often. */
export function route({ names, deliveryLimit, turns }: RouteOptions): Step {
  const moves = new Moves();
  return (command, next) => {
    const { delivery, envelope, lane } = command;
    // A copy would not show what is wrong with it, and nothing is done for it but to answer.
    const isCut = envelope.fault?.code === 'MESSAGE_TOO_LARGE';
    if (isCut || envelope.violations.length > 0) return next(command);
    const counted = Number(envelope.own[QUARANTINE_STARTS]) || 0;
    const start = startOf(delivery, names.quarantine, counted, deliveryLimit);
    const home = names.lanes[lane];
    switch (start.kind) {
      case 'poison':
        throw new CommandError('POISON_COMMAND');
      case 'quarantine':
        command.run.onSettled = moves.begin(identityOf(command));
        return Promise.resolve(move(names.quarantine, start.starts));
      case 'wait':
        return Promise.resolve(move(home, start.starts));
      case 'turn':
        return inTurn(command, next, turns[lane], move(names.quarantine, start.starts), start.starts);
      case 'alone':
        // If another one came by another worker's turn, this start does not count.
        return alone(command, next, turns[lane], move(home, counted - 1));
      case 'here':
        if (delivery.queue === names.quarantine) return afterMove(command, next, moves);
        if (!isCommandType(envelope.type)) return next(command);
        // Behind those that had waited: a copy has no priority.
        if (delivery.queue === home && !delivery.isPreferred) return next(command);
        return Promise.resolve(move(home));
    }
  };
}

async function afterMove(command: Command, next: Next, moves: Moves): Promise<Settlement> {
  await moves.end(identityOf(command));
  return next(command);
}

function identityOf({ envelope: { caller, operator, id } }: Command): string {
  return JSON.stringify([caller, operator, id]);
}

/** One whose deadline passes before its turn is answered like every other. */
async function inTurn(
  command: Command,
  next: Next,
  turns: Turns,
  moved: Settlement,
  starts: number,
): Promise<Settlement> {
  if (!(await turns.take(starts, command.deadline))) return next(command);
  command.run.onSettled = () => turns.moved();
  return moved;
}

async function alone(command: Command, next: Next, turns: Turns, back: Settlement): Promise<Settlement> {
  if (!(await turns.begin())) return back;
  command.run.onSettled = () => turns.end();
  return next(command);
}

function move(queue: string, starts?: number): Settlement {
  const headers = starts === undefined ? {} : { [QUARANTINE_STARTS]: starts };
  return { kind: 'move', copy: { queue, headers } };
}
