import { CommandError } from '#contracts';
import { setBounded } from '#rabbitmq/collections';

import type { Command } from '../command/command.ts';
import { moveTo } from '../command/copy-of.ts';
import { isCopy } from '../envelope/seal.ts';
import type { Bus } from '../messaging-options.ts';
import type { Settlement } from '../command/settlement.ts';

/** What arrives together, after a death or from a lane, is looked at together. */
const GATHER_MS = 200;
/** Between two starts, and in how many all are started that wait. */
const STEP_MS = 80;
const STEPS = 12;
/** A command that kills most likely does so at once: what was started so shortly before the last start may be the killer. */
const KILLS_WITHIN_MS = 150;
/** Longer than `KILLS_WITHIN_MS`, so that the last one to start before a death is the only one that may have caused it. */
const ONE_BY_ONE_STEP_MS = 160;
/** Added to the longest attempt: how long those that may be the killer wait for the others to be done. */
const PATIENCE_BEYOND_ATTEMPT_MS = 1_000;
/** A start is a copy, which comes back in a few milliseconds, or goes to another worker. */
const UNDER_WAY_MS = 300;
/** Starts that may be delivered to this process again: more than are in flight. */
const MAX_RAN = 5_000;
/** A command that is not slow runs alone after so many starts that were cut off. */
const MOST_CUTS = 4;

/** Which commands are started first, and which wait until those are done. */
const ORDINARY = 0;
const ONE_BY_ONE = 1;
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
  readonly settle: (settlement: Settlement | undefined | Promise<never>) => void;
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
  readonly #bus: Bus;
  readonly #patienceMs: number;
  /** Starts that were cut off, and are not judged yet. */
  readonly #cut = new Set<Waiting>();
  readonly #waiting = new Set<Waiting>();
  /** Each start that runs, with its level and the time from which others need not wait for it. */
  readonly #running = new Map<string, { readonly level: number; readonly untilMs: number }>();
  /** How often each start that ran here had been delivered before: at its very next delivery, this process is alive. */
  readonly #ran = new Map<string, number>();
  /** Settle once the original of a start is acknowledged; by its id and the time of the start, as its copy has them. */
  readonly #starting = new Map<string, Promise<unknown>>();
  #isGathering = false;
  #lastStart = { atMs: -Infinity, level: ORDINARY };
  /** How many start at once, until all that waited have started. */
  #batch = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
    // Shorter, and a platform that is slow in general keeps a killer from ever being alone.
    this.#patienceMs = bus.settings.PLATFORM_ATTEMPT_TIMEOUT_MS + PATIENCE_BEYOND_ATTEMPT_MS;
  }

  /**
   * Has a command of the quarantine run now, or once it is its turn.
   *
   * @returns the copy by which it is started later; undefined if it is to run now, or has expired
   * @throws CommandError `POISON_COMMAND`
   */
  admit(command: Command): Settlement | undefined | Promise<Settlement | undefined> {
    const { own, id } = command.envelope;
    const { 'x-quarantine-level': level = ORDINARY, 'x-quarantine-started-at': startedAtMs } = own;
    const { 'x-quarantine-starts': starts = 0, 'x-quarantine-cuts': cuts = 0 } = own;
    const record = { level, starts, cuts };
    const start = `${id} ${startedAtMs}`;
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
      const run = { level, untilMs: this.#bus.clock() + patienceMs };
      this.#running.set(start, run);
      setBounded(this.#ran, start, redeliveries, MAX_RAN);
      command.atEnd(() => void (this.#running.get(start) === run && this.#running.delete(start)));
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
      const isPoison = record.starts >= this.#bus.settings.DELIVERY_LIMIT;
      settle(isPoison ? Promise.reject(new CommandError('POISON_COMMAND')) : this.#copy(command, record));
    }
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
    const { nowMs, clock } = this.#bus;
    const { atMs, level: lastLevel } = this.#lastStart;
    const isUnderWay = this.#starting.size > 0 || clock() - atMs < UNDER_WAY_MS;
    const isOnItsWay = (level !== lastLevel || level === ALONE) && isUnderWay;
    if (isOnItsWay || !this.#mayRun(level)) return ONE_BY_ONE_STEP_MS;
    const candidates = all.filter((waiting) => waiting.level === level);
    if (level === ORDINARY) this.#batch = Math.max(this.#batch, Math.ceil(candidates.length / STEPS));
    const started = candidates.slice(0, level === ORDINARY ? this.#batch : 1);
    if (started.length === candidates.length) this.#batch = 0;
    this.#lastStart = { atMs: clock(), level };
    // A start says less beside a command that does not end.
    const as = level === ALONE && this.#running.size > 0 ? ONE_BY_ONE : level;
    for (const waiting of started) {
      this.#waiting.delete(waiting);
      const startedAtMs = nowMs();
      const { command } = waiting;
      const start = `${command.envelope.id} ${startedAtMs}`;
      const ended = new Promise((resolve) => command.atEnd(resolve)).then(() => this.#starting.delete(start));
      this.#starting.set(start, ended);
      waiting.settle(this.#copy(command, { ...waiting, level: as }, startedAtMs));
    }
    return level === ORDINARY ? STEP_MS : ONE_BY_ONE_STEP_MS;
  }

  /** Whether all that come first are done, or have had their time. */
  #mayRun(level: number): boolean {
    const atMs = this.#bus.clock();
    return ![...this.#running.values()].some(
      (other) => other.untilMs > atMs && (level === ALONE || other.level === ALONE || other.level < level),
    );
  }

  #copy(command: Command, { level, starts, cuts }: History, startedAtMs?: number): Settlement {
    return moveTo(this.#bus.names.quarantine, command, {
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
    if (beforeMs > KILLS_WITHIN_MS) return ORDINARY;
    return level === ORDINARY ? ONE_BY_ONE : ALONE;
  }
}
