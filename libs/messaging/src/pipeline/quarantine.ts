import { type BusNames, CommandError } from '#contracts';
import type { Delivery } from '#rabbitmq';
import { setBounded } from '#rabbitmq/collections';
import type { Clock } from '#resilience';

import type { Command } from '../command/command.ts';
import { moveTo } from '../command/copy-of.ts';
import { isCopy } from '../envelope/seal.ts';
import type { MessagingSettings } from '../messaging-settings.ts';
import type { Settlement } from '../command/settlement.ts';
import type { Survivals } from './survivals.ts';

/** Commands that arrive within this time, after a death or from a lane, are judged and started together. */
const GATHER_MS = 200;
/** In how many parts the waiting commands of a level start, and the time between two parts. */
const TOGETHER = { parts: 12, stepMs: 80 };
/** The step exceeds `KILLS_WITHIN_MS`: only the last command that started before a death may have caused it. */
const ONE_BY_ONE = { parts: Infinity, stepMs: 160 };
/** For a killer that was not among the first suspects, and so takes longer to kill. */
const IN_GROUPS = { parts: 8, stepMs: 1_000 };
/** Most killers kill at once: a command that started so shortly before the last start is a suspect. */
const KILLS_WITHIN_MS = 150;
/** Added to the longest attempt: how long those that may be the killer wait for the others to be done. */
const PATIENCE_BEYOND_ATTEMPT_MS = 1_000;
/** A start is a copy, which comes back in a few milliseconds, or goes to another worker. */
const UNDER_WAY_MS = 300;
/** Starts that may be delivered to this process again: more than are in flight. */
const MAX_RAN = 5_000;
/** A command that is not slow runs alone after so many starts that were cut off: it starts four times at most. */
const MOST_CUTS = 3;

/** How long a worker that lives has to report that it lost its connection, before a start counts as the last death. */
const REPORT_MS = 8_000;

/** Which commands are started first, and which wait until those are done. */
const ORDINARY = 0;
/** Started one by one, or in groups after a second death. */
const SUSPECT = 1;
/** The most likely killer, beside nothing. */
const ALONE = 2;
/** It takes long, and would keep the commands that run alone from being alone. */
const SLOW = 3;

/** What a copy in quarantine carries of its command. */
interface History {
  readonly level: number;
  /** Starts that nothing ran beside, and that were cut off. */
  readonly starts: number;
  /** All starts that were cut off. */
  readonly cuts: number;
}

interface Waiting extends History {
  readonly command: Command;
  /** When the start was that was cut off; 0 if none was. */
  readonly startedAtMs: number;
  readonly settle: (settlement: Settlement | undefined | Promise<Settlement>) => void;
}

interface Run {
  readonly level: number;
  /** From then on, other commands need not wait for it. */
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
 * Starts what has come back from dead workers, so that whatever killed them is found and everything else is finished. Each
 * start is written down before it, in a copy of the command: a copy that is delivered again is a start that was cut off.
 *
 * All start within a second, a few at a time. If this worker dies, too, one of those that it started last may be the
 * killer: they wait until the others are done, then start one by one, and the last of them before a further death runs
 * alone. Only a start that nothing ran beside counts towards `DELIVERY_LIMIT`.
 */
export class Quarantine {
  readonly #options: QuarantineOptions;
  readonly #patienceMs: number;
  /** Starts that were cut off, and are not judged yet. */
  readonly #cut = new Set<Waiting>();
  readonly #waiting = new Set<Waiting>();
  readonly #survivals: Pick<Survivals, 'report' | 'isReported'>;
  /** By start: the id of the command and the time of the start, as its copy has them. */
  readonly #running = new Map<string, Run>();
  /** Starts whose delivery was lost before they ended, not reported yet. */
  readonly #lost = new Set<string>();
  /** How often each start that ran here had been delivered before: at its very next delivery, this process is alive. */
  readonly #ran = new Map<string, number>();
  /** Settle once the original of a start is acknowledged. */
  readonly #starting = new Map<string, Promise<unknown>>();
  #isGathering = false;
  #lastStart = { atMs: -Infinity, level: ORDINARY };
  /** How many start at once, until all that waited have started. */
  #batch = 0;

  constructor(options: QuarantineOptions, survivals: Pick<Survivals, 'report' | 'isReported'>) {
    this.#options = options;
    this.#survivals = survivals;
    // Shorter, and a platform that is slow in general keeps a killer from ever being alone.
    this.#patienceMs = options.settings.PLATFORM_ATTEMPT_TIMEOUT_MS + PATIENCE_BEYOND_ATTEMPT_MS;
  }

  /** Reports the starts that were lost with the connection, once there is one again: this process did not die of them. */
  connected(): void {
    for (const [start, { delivery }] of this.#running) if (delivery.isLost) this.#lost.add(start);
    for (const start of this.#lost) {
      this.#lost.delete(start);
      // If this fails, too, the connection has gone again, and the start may count as a death.
      this.#survivals.report(start).catch(() => undefined);
    }
  }

  /**
   * Has a command of the quarantine run now, or once it is its turn.
   *
   * @returns the copy by which it is started later; undefined if it is to run now, or has expired
   * @throws CommandError `POISON_COMMAND`
   */
  admit(command: Command): Settlement | undefined | Promise<Settlement | undefined> {
    const { own } = command.envelope;
    const { 'x-quarantine-level': level = ORDINARY, 'x-quarantine-started-at': startedAtMs } = own;
    const { 'x-quarantine-starts': starts = 0, 'x-quarantine-cuts': cuts = 0 } = own;
    const record = { level, starts, cuts };
    const start = startOf(command, startedAtMs);
    const { message, redeliveries } = command.delivery;
    const isOwn = this.#ran.get(start) === redeliveries - 1;
    // What somebody published here directly has killed nobody yet.
    const isStart = startedAtMs !== undefined || !isCopy(own);
    if (isStart && (!message.fields.redelivered || isOwn)) {
      // A copy may come before its confirm. If it killed this worker then, the original would come back as well.
      const acknowledged = this.#starting.get(start);
      if (acknowledged) return acknowledged.then(() => this.admit(command));
      // This worker did not die of a start that it gets back: it lost its connection, and gave that run up.
      this.#running.delete(start);
      if (!this.#mayRun(level)) return this.#copy(command, record);
      // Longer after each cut, so that in the end a slow command is done alone, or a slow killer kills alone.
      const patienceMs = level === ALONE ? cuts * this.#patienceMs : this.#patienceMs;
      const run = { level, untilMs: this.#options.clock() + patienceMs, delivery: command.delivery };
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

  /** Notes in a copy of each start that was cut off how likely its command is the killer. */
  #judge(): void {
    const cut = [...this.#cut];
    this.#cut.clear();
    const lastMs = Math.max(...cut.map(({ startedAtMs }) => startedAtMs));
    for (const { command, level, starts, cuts: before, startedAtMs, settle } of cut) {
      const beforeMs = lastMs - startedAtMs;
      const cuts = before + 1;
      // A start alone after which others began was beside them when it was cut off.
      const wasAlone = cut.length === 1 || (level === ALONE && beforeMs === 0);
      const record = wasAlone
        ? { level: ALONE, starts: starts + 1, cuts }
        : { level: this.#levelAfter(level, cuts, beforeMs), starts, cuts };
      const isLastDeath = wasAlone && record.starts >= this.#options.settings.DELIVERY_LIMIT;
      settle(isLastDeath ? this.#condemn(command, record, startedAtMs) : this.#copy(command, record));
    }
  }

  /** @throws CommandError `POISON_COMMAND`, unless the process of the last start reports that it lives */
  async #condemn(command: Command, record: History, startedAtMs: number): Promise<Settlement> {
    const start = startOf(command, startedAtMs);
    const waitMs = Math.min(REPORT_MS, command.deadline.remainingMs());
    if (!(await this.#survivals.isReported(start, waitMs))) throw new CommandError('POISON_COMMAND');
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

  /** Starts those whose turn it is. @returns when to look again */
  #start(): number {
    const all = [...this.#waiting];
    const level = Math.min(...all.map((waiting) => waiting.level));
    const { nowMs, clock } = this.#options;
    const { atMs, level: lastLevel } = this.#lastStart;
    const isUnderWay = this.#starting.size > 0 || clock() - atMs < UNDER_WAY_MS;
    const isOnItsWay = (level !== lastLevel || level === ALONE) && isUnderWay;
    if (isOnItsWay || !this.#mayRun(level)) return ONE_BY_ONE.stepMs;
    const ofLevel = all.filter((waiting) => waiting.level === level);
    const fewestCuts = level === SUSPECT ? Math.min(...ofLevel.map(({ cuts }) => cuts)) : 0;
    const candidates = level === SUSPECT ? ofLevel.filter(({ cuts }) => cuts === fewestCuts) : ofLevel;
    const pace = level === ORDINARY ? TOGETHER : fewestCuts > 1 ? IN_GROUPS : ONE_BY_ONE;
    const batch = Math.ceil(candidates.length / pace.parts);
    this.#batch = pace === ONE_BY_ONE ? 1 : Math.max(this.#batch, batch);
    const started = candidates.slice(0, this.#batch);
    if (started.length === candidates.length) this.#batch = 0;
    this.#lastStart = { atMs: clock(), level };
    // A start says less beside a command that does not end.
    const as = level === ALONE && this.#running.size > 0 ? SUSPECT : level;
    for (const waiting of started) {
      this.#waiting.delete(waiting);
      const startedAtMs = nowMs();
      const { command } = waiting;
      const start = startOf(command, startedAtMs);
      const ended = new Promise((resolve) => command.atEnd(resolve)).then(() => this.#starting.delete(start));
      this.#starting.set(start, ended);
      waiting.settle(this.#copy(command, { ...waiting, level: as }, startedAtMs));
    }
    return pace.stepMs;
  }

  /** Whether all that come first are done, or have had their time. */
  #mayRun(level: number): boolean {
    const atMs = this.#options.clock();
    return ![...this.#running.values()].some(
      (other) => other.untilMs > atMs && (level === ALONE || other.level === ALONE || other.level < level),
    );
  }

  #copy(command: Command, { level, starts, cuts }: History, startedAtMs?: number): Settlement {
    return moveTo(this.#options.names.quarantine, command, {
      'x-quarantine-level': level,
      'x-quarantine-starts': starts,
      'x-quarantine-cuts': cuts,
      ...(startedAtMs !== undefined && { 'x-quarantine-started-at': startedAtMs }),
    });
  }

  /** @param beforeMs how long before the last start that was cut off */
  #levelAfter(level: number, cuts: number, beforeMs: number): number {
    if (beforeMs > this.#patienceMs) return SLOW;
    if (cuts >= MOST_CUTS) return ALONE;
    const isLast = beforeMs <= KILLS_WITHIN_MS;
    if (level === SUSPECT) return isLast ? ALONE : ORDINARY;
    return isLast || cuts > 1 ? SUSPECT : ORDINARY;
  }
}

function startOf({ envelope }: Command, startedAtMs: number | undefined): string {
  return `${envelope.id} ${startedAtMs}`;
}
