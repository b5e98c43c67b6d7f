import { type BusNames, CommandError } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { setBounded } from '#rabbitmq/collections';
import type { Clock } from '#resilience';

import type { Command } from '../command/command.ts';
import { moveTo } from '../command/copy-of.ts';
import { isCopy } from '../envelope/seal.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type { Settlement } from '../command/settlement.ts';
import { type Group, type History, LEVEL, LONGEST_STEP_MS, nextGroup } from './quarantine-group.ts';
import type { Survivals } from './survivals.ts';

/** Commands that arrive within this time, after a death or from a lane, are judged and started together. */
const GATHER_MS = 200;
/** Added to the attempt timeout: how long suspects wait for the other commands to finish. */
const PATIENCE_BEYOND_ATTEMPT_MS = 1_000;
/** A copy is delivered within a few milliseconds, or goes to another worker. */
const UNDER_WAY_MS = 300;
/** The number of starts that this process remembers; more than can be in flight. */
const MAX_RAN = 5_000;
/** How long a live worker has to report a lost connection before a start counts as the last death. */
const REPORT_MS = 8_000;

interface Waiting extends History {
  readonly command: Command;
  /** The time of the interrupted start, epoch milliseconds; 0 if there was none. */
  readonly startedAtMs: number;
  readonly settle: (settlement: Settlement | undefined | Promise<Settlement>) => void;
}

interface Run {
  readonly level: number;
  /** The time from which other commands no longer wait for it. */
  readonly untilMs: number;
  readonly delivery: Delivery;
}

export interface QuarantineOptions {
  readonly names: BusNames;
  readonly settings: Pick<MessagingSettings, 'DELIVERY_LIMIT' | 'PLATFORM_ATTEMPT_TIMEOUT_MS'>;
  /** The time of day, epoch milliseconds. */
  readonly nowMs: () => number;
  readonly clock: Clock;
}

/**
 * Starts the commands that dead workers left, so that the one that killed them is found and all others
 * finish. Each start is recorded before it begins, in a copy of the command: if the broker redelivers the
 * copy, the start was interrupted.
 *
 * All commands start within a second. If this worker dies as well, the killer is one of those that were
 * interrupted, those that started last first. They run in groups, one after the other, and a further death
 * leaves one group; commands that it did not interrupt are harmless, and run together. Only a start during
 * which nothing else ran counts towards `DELIVERY_LIMIT`.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #patienceMs: number;
  /** Interrupted starts that have not been judged yet. */
  readonly #cut = new Set<Waiting>();
  readonly #waiting = new Set<Waiting>();
  readonly #survivals: Pick<Survivals, 'report' | 'isReported'>;
  /** Keyed by start: the command id and the start time, as in the copy. */
  readonly #running = new Map<string, Run>();
  /** Starts whose delivery was lost before they ended, and that have not been reported yet. */
  readonly #lost = new Set<string>();
  /**
   * The delivery count of each start that ran here: if its next delivery comes here again, this process did
   * not die.
   */
  readonly #ran = new Map<string, number>();
  /** Promises that settle once the original of a start is acknowledged. */
  readonly #starting = new Map<string, Promise<unknown>>();
  /** Commands whose last process may still report that it is alive. */
  #condemned = 0;
  #isGathering = false;
  /** The commands that start now. */
  #group: Group<Waiting> = { level: LEVEL.ordinary, commands: [], stepMs: 0 };
  #lastCopyMs = -Infinity;

  constructor(options: QuarantineOptions, survivals: Pick<Survivals, 'report' | 'isReported'>) {
    this.#options = options;
    this.#survivals = survivals;
    // With a shorter time, a platform that is slow in general would keep a killer from ever being alone.
    this.#patienceMs = options.settings.PLATFORM_ATTEMPT_TIMEOUT_MS + PATIENCE_BEYOND_ATTEMPT_MS;
  }

  /**
   * Reports the starts whose connection was lost, because this process survived them. Called after a
   * reconnect.
   */
  connected(): void {
    for (const [start, { delivery }] of this.#running) if (delivery.isLost) this.#lost.add(start);
    for (const start of this.#lost) {
      this.#lost.delete(start);
      // If this fails as well, the connection was lost again.
      this.#survivals.report(start).catch(() => this.#lost.add(start));
    }
  }

  /**
   * Decides when a command in quarantine runs: now, or when its turn comes.
   *
   * @returns the copy that starts it later; undefined if it runs now or has expired
   * @throws CommandError `POISON_COMMAND`
   */
  admit(command: Command): Settlement | undefined | Promise<Settlement | undefined> {
    const { own } = command.envelope;
    const { 'x-quarantine-level': level = LEVEL.ordinary, 'x-quarantine-started-at': startedAtMs } = own;
    const { 'x-quarantine-starts': starts = 0, 'x-quarantine-cuts': cuts = 0 } = own;
    const record = { level, starts, cuts };
    const start = startOf(command, startedAtMs);
    const { message, redeliveries } = command.delivery;
    const isOwn = this.#ran.get(start) === redeliveries - 1;
    // A message that was published to this queue directly has not killed anything yet.
    const isStart = startedAtMs !== undefined || !isCopy(own);
    if (isStart && (!message.fields.redelivered || isOwn)) {
      // A copy may arrive before its confirm. If it killed this worker then, the original would be
      // redelivered as well.
      const acknowledged = this.#starting.get(start);
      if (acknowledged) return acknowledged.then(() => this.admit(command));
      // A start that this worker gets back did not kill it: the connection was lost, and that run was
      // abandoned.
      this.#running.delete(start);
      if (!this.#mayRunBeside(level)) return this.#copy(command, record);
      const untilMs = this.#options.clock() + this.#patienceWith(cuts);
      const run = { level, untilMs, delivery: command.delivery };
      this.#running.set(start, run);
      setBounded(this.#ran, start, redeliveries, MAX_RAN);
      command.atEnd(() => {
        if (run.delivery.isLost) this.#lost.add(start);
        if (this.#running.get(start) === run) this.#running.delete(start);
      });
      return undefined;
    }
    return new Promise((settle) => {
      const waiting = { ...record, command, startedAtMs: startedAtMs ?? 0, settle };
      const list = startedAtMs === undefined ? this.#waiting : this.#cut;
      list.add(waiting);
      if (list === this.#waiting) this.#next(GATHER_MS);
      else if (list.size === 1) setTimeout(() => this.#judge(), GATHER_MS);
      const expire = (): void => {
        list.delete(waiting);
        settle(undefined);
      };
      command.atEnd(command.deadline.onExpired(expire));
    });
  }

  /** Records the interruption in a copy of each command. Those that started last are started first. */
  #judge(): void {
    const cut = [...this.#cut].toSorted((a, b) => b.startedAtMs - a.startedAtMs);
    this.#cut.clear();
    this.#lastCopyMs = this.#options.clock();
    const lastMs = cut[0]?.startedAtMs ?? 0;
    const isOnly = cut.length === 1;
    for (const { command, startedAtMs, settle, ...before } of cut) {
      const isSlow = lastMs - startedAtMs > this.#patienceWith(before.cuts);
      const record = {
        level: isSlow ? LEVEL.slow : LEVEL.suspect,
        starts: isOnly ? before.starts + 1 : before.starts,
        cuts: before.cuts + 1,
      };
      const isLastDeath = isOnly && record.starts >= this.#options.settings.DELIVERY_LIMIT;
      settle(isLastDeath ? this.#condemn(command, record, startedAtMs) : this.#copy(command, record));
    }
  }

  /**
   * How long other commands wait for a command. It grows with each interruption, so that eventually a slow
   * command finishes alone, or a slow killer kills alone.
   */
  #patienceWith(cuts: number): number {
    return Math.max(1, cuts) * this.#patienceMs;
  }

  /**
   * Returns the next copy if the process of the last start reports that it is alive.
   *
   * @throws CommandError `POISON_COMMAND` if it does not report in time
   */
  async #condemn(command: Command, record: History, startedAtMs: number): Promise<Settlement> {
    const start = startOf(command, startedAtMs);
    const waitMs = Math.min(REPORT_MS, command.deadline.remainingMs());
    // Nothing starts in the meantime: a copy of this command, or another killer, could kill this worker.
    this.#condemned += 1;
    const isAlive = await this.#survivals.isReported(start, waitMs).finally(() => (this.#condemned -= 1));
    if (!isAlive) throw new CommandError('POISON_COMMAND');
    return this.#copy(command, { ...record, starts: record.starts - 1 });
  }

  #next(afterMs: number): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      if (this.#waiting.size > 0) this.#next(this.#start());
    }, afterMs);
  }

  /** Starts the next command if it is its turn. @returns the time until the next check, in milliseconds */
  #start(): number {
    if (this.#group.commands.length === 0) this.#chooseGroup();
    const { level, stepMs, commands } = this.#group;
    const waiting = commands.shift();
    if (!waiting) return LONGEST_STEP_MS;
    // It may have expired since the group was chosen.
    if (!this.#waiting.delete(waiting)) return 0;
    this.#lastCopyMs = this.#options.clock();
    const startedAtMs = this.#options.nowMs();
    const { command } = waiting;
    const start = startOf(command, startedAtMs);
    const ended = new Promise((resolve) => command.atEnd(resolve)).then(() => this.#starting.delete(start));
    this.#starting.set(start, ended);
    waiting.settle(this.#copy(command, { ...waiting, level }, startedAtMs));
    return stepMs;
  }

  /** Chooses the commands that start next, unless they have to wait for others. */
  #chooseGroup(): void {
    const group = nextGroup([...this.#waiting]);
    const { level } = group;
    const isJoining = level === LEVEL.ordinary && this.#group.level === level;
    const sinceMs = this.#options.clock() - this.#lastCopyMs;
    const areCopiesDue = this.#cut.size > 0 || this.#starting.size > 0 || sinceMs < UNDER_WAY_MS;
    if (isJoining ? this.#mayRunBeside(level) : this.#mayRunBeside() && !areCopiesDue) this.#group = group;
  }

  /** True if all commands of other levels have finished, or have had their time. Default: all commands. */
  #mayRunBeside(level?: number): boolean {
    if (this.#condemned > 0) return false;
    const atMs = this.#options.clock();
    return [...this.#running.values()].every((other) => other.untilMs <= atMs || other.level === level);
  }

  #copy(command: Command, { level, starts, cuts }: History, startedAtMs?: number): Settlement {
    return moveTo(this.#options.names.quarantine, command, {
      'x-quarantine-level': level,
      'x-quarantine-starts': starts,
      'x-quarantine-cuts': cuts,
      ...(startedAtMs !== undefined && { 'x-quarantine-started-at': startedAtMs }),
    });
  }
}

function startOf({ envelope }: Command, startedAtMs: number | undefined): string {
  return `${envelope.id} ${startedAtMs}`;
}
