import type { Lane } from '#contracts';

import type { Command } from '../command/command.ts';

/** The commands in flight, in the order of their receipt. */
export class InFlight {
  /** A number is a cheaper key than the command: an object would be given a hash. */
  readonly #commands = new Map<number, Command>();
  #received = 0;

  /** @returns what `remove` is told when the command is settled */
  add(command: Command): number {
    this.#received += 1;
    this.#commands.set(this.#received, command);
    return this.#received;
  }

  remove(key: number): void {
    this.#commands.delete(key);
  }

  /** The one of a lane that was received first. */
  oldest(lane: Lane): Command | undefined {
    for (const command of this.#commands.values()) if (command.lane === lane) return command;
    return undefined;
  }
}
