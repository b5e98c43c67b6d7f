import type { Command } from '../command/command.ts';
import { dataDigest } from '../envelope/fingerprint.ts';
import { QUARANTINE_STARTS } from '../envelope/own-headers.ts';
import type { Settlement } from './settlement.ts';

/** Reports whose connection went, and that were not delivered to this worker again. */
const MAX_RUNS = 1000;

interface Run {
  readonly key: string;
  readonly command: Command;
  /** Once it is decided, which is before its final reply is confirmed. */
  settlement: Settlement | undefined;
}

/** Remembers runs of reports, so that one whose connection goes can continue when the broker delivers it again. */
export class InterruptedRuns {
  readonly #runs = new Map<string, Run>();
  /** Of what has begun: many a command is refused before, and its data may be unreadable. */
  readonly #begun = new WeakMap<Command['run'], Run>();

  /**
   * Begins a run; one that was interrupted lends it its sequence and its progress.
   *
   * @returns how the interrupted one was to be settled, if all that is missing is that its final reply is confirmed
   */
  begin(command: Command): Settlement | undefined {
    const key = keyOf(command);
    const before = this.#runs.get(key);
    this.#runs.delete(key);
    const isResumed = before && isRedelivery(command, before.command);
    const run: Run = { key, command, settlement: isResumed ? before.settlement : undefined };
    if (isResumed && before.command.run.sequence > command.run.sequence) {
      command.run.sequence = before.command.run.sequence;
      command.run.progress = before.command.run.progress;
    }
    this.#runs.set(key, run);
    this.#begun.set(command.run, run);
    const [oldest] = this.#runs.keys();
    if (this.#runs.size > MAX_RUNS && oldest !== undefined) this.#runs.delete(oldest);
    return run.settlement;
  }

  /** Notes how a run is to be settled; its pages are confirmed. */
  settled(command: Command, settlement: Settlement): void {
    const run = this.#begun.get(command.run);
    if (run) run.settlement = settlement;
  }

  /** Forgets a run whose message does not come again, if it began and no other one has begun since. */
  end(command: Command): void {
    const run = this.#begun.get(command.run);
    if (run && this.#runs.get(run.key) === run) this.#runs.delete(run.key);
  }
}

/** Whether a message is the one of an earlier run, and not another one of the same identity. */
function isRedelivery({ delivery, envelope }: Command, before: Command): boolean {
  const { redelivered } = delivery.message.fields;
  return !before.delivery.isAlive && (redelivered || envelope.own[QUARANTINE_STARTS] !== undefined);
}

/** Equal only if the replies go to the same place under the same ids. */
function keyOf({ envelope }: Command): string {
  const { caller, operator, id, type, correlationId, replyTo, data } = envelope;
  return JSON.stringify([caller, operator, id, type, correlationId, replyTo, dataDigest(data)]);
}
