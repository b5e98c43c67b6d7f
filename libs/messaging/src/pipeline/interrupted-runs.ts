import type { Command } from '../command/command.ts';
import { dataDigest } from '../envelope/fingerprint.ts';
import { QUARANTINE_STARTS } from '../envelope/own-headers.ts';

/** Reports whose connection went, and that were not delivered to this worker again. */
const MAX_RUNS = 1000;

/** Remembers runs of reports, so that one whose connection goes can continue when the broker delivers it again. */
export class InterruptedRuns {
  readonly #commands = new Map<string, Command>();

  /**
   * Begins a run; one that was interrupted lends it its sequence and its progress.
   *
   * @returns what `end` is told when the run has come to its end
   */
  begin(command: Command): string {
    const key = keyOf(command);
    const before = this.#commands.get(key);
    this.#commands.delete(key);
    if (before && isRedelivery(command, before) && before.run.sequence > command.run.sequence) {
      command.run.sequence = before.run.sequence;
      command.run.progress = before.run.progress;
    }
    this.#commands.set(key, command);
    const [oldest] = this.#commands.keys();
    if (this.#commands.size > MAX_RUNS && oldest !== undefined) this.#commands.delete(oldest);
    return key;
  }

  /** Forgets a run that has come to its end, unless another one has begun. */
  end(key: string, command: Command): void {
    if (this.#commands.get(key) === command) this.#commands.delete(key);
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
