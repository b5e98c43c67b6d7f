import { type Caller, CallerError } from '#caller';

/** Longer than any service is away. */
const DEADLINE_MS = 90_000;

/** Asks for sessions at a steady rate, each for another player, and keeps count of what comes back. */
export class SessionLoad {
  right = 0;
  sent = 0;
  readonly wrong: string[] = [];
  readonly #pending = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(caller: Caller, perSecond: number) {
    this.#timer = setInterval(() => {
      const call = this.#ask(caller, `player-${(this.sent += 1)}`);
      this.#pending.add(call);
      void call.finally(() => this.#pending.delete(call));
    }, 1_000 / perSecond);
  }

  /** Sends no more, and waits for every answer. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#pending);
  }

  async #ask(caller: Caller, userId: string): Promise<void> {
    try {
      const session = await caller.createSession({ userId }, { deadlineMs: DEADLINE_MS });
      if (session.userId === userId) this.right += 1;
      else this.wrong.push(`${userId}: the session of ${session.userId}`);
    } catch (error) {
      this.wrong.push(`${userId}: ${error instanceof CallerError ? error.code : String(error)}`);
    }
  }
}
