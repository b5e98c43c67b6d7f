import type { Clock } from '../clock.ts';

/** Calls may exceed twice their usual time by this much. */
const SLACK_MS = 300;
/**
 * The limit after the first answer of a process, unless more calls are in flight. Each further answer raises
 * it by one (slow start).
 */
const FIRST_LIMIT = 16;
const MIN_LIMIT = 2;
/**
 * A trial reduces the calls in flight to this share. It is confirmed if calls become faster by half of that
 * reduction.
 */
const TRIAL_SHARE = 0.7;
const CONFIRMED_SHARE = (1 + TRIAL_SHARE) / 2;
/**
 * If calls became slower by more than this, something else is changing, and the trial is repeated up to this
 * many times.
 */
const RISING_SHARE = 1.15;
const MAX_REPEATS = 3;
/** The number of calls that decide a trial: the limit, within these bounds. */
const MIN_TRIAL_CALLS = 8;
const MAX_TRIAL_CALLS = 20;
/** Calls that began with nearly as many in flight as at the start of the trial count as "before". */
const BEFORE_SHARE = 0.9;
/**
 * A trial ends without a result after this many times the previous call time, but not before this many
 * milliseconds.
 */
const TRIAL_TIMES = 4;
const MIN_TRIAL_MS = 5_000;
/**
 * Trials begin at multiples of this interval in the time of day, so that all workers reduce their calls
 * together.
 */
const TRIAL_EVERY_MS = 1_000;
/** If a larger share of calls is cut off, little is lost by making only this share of the calls. */
const CUT_OFF_SHARE = 0.25;
const SHRINK = 0.85;
const GROWTH = 1.1;
/** A limit changes at most once per call time, and no more often than this. */
const CHANGE_EVERY_MS = 100;
/**
 * A limit is lifted if it has had no effect, or if calls were slow even at the lowest limit, for this long.
 */
const LIFT_AFTER_MS = 30_000;
/** The mean of fewer calls may be low by chance. */
const MIN_USUAL_CALLS = 4;
/** The weight of the latest call in a moving mean. */
const WEIGHT = 0.15;

/** A call that has begun. */
export interface Ticket {
  /** By the monotonic clock. */
  readonly startedAtMs: number;
  /** Calls of the operation in flight when this call began, including itself. */
  readonly startedAmong: number;
  /**
   * `cut-off` shows that the platform takes longer than usual. `unknown`, the initial value, shows nothing.
   */
  end: 'answered' | 'cut-off' | 'unknown';
}

/** An exponentially weighted mean. */
class Mean {
  calls = 0;
  ms = 0;

  add(tookMs: number): void {
    this.calls += 1;
    this.ms += Math.max(WEIGHT, 1 / this.calls) * (tookMs - this.ms);
  }
}

/** `open`: each answered call raises the limit by one, up to the maximum. */
interface Open {
  readonly kind: 'open';
}
/** `trial`: fewer calls are made, to find out whether that makes them faster. */
interface Trial {
  readonly kind: 'trial';
  /** Calls in flight before the trial. */
  readonly among: number;
  readonly limitBefore: number;
  hasBegun: boolean;
  /** Previous trials without a decision. */
  readonly repeats: number;
  /** The time of day from which fewer calls are made. */
  readonly beginsAtMs: number;
  readonly before: Mean;
  readonly after: Mean;
  /** When the number of calls in flight first fell to the reduced limit. */
  reachedAtMs: number | undefined;
  cutOff: number;
}
/** `limited`: the platform queues calls, and the limit follows the call time. */
interface Limited {
  readonly kind: 'limited';
  changedAtMs: number;
  /** When the limit last had an effect: calls reached it, or were slow while it could still shrink. */
  neededAtMs: number;
}

/**
 * Limits the concurrent calls of one operation. A platform with a fixed service rate queues calls: the more
 * calls are in flight, the longer each takes, until all of them time out in its queue. A platform that is
 * slow for another reason takes as long with fewer calls. Only a trial tells the two apart: when calls take
 * more than twice their usual time, fewer are made. If they become faster, the platform queues calls, and the
 * limit keeps its queue short. Otherwise the new call time becomes the usual one.
 */
export class ConcurrencyLimit {
  #limit: number;
  #mode: Open | Trial | Limited = { kind: 'open' };
  #mean = new Mean();
  /** Moving mean of the share of calls that were cut off. */
  #cutOff = 0;
  /** The lowest mean so far, or the mean that the last unconfirmed trial found. */
  #usualMs = Infinity;

  /** @param timeOfDay about the same on all workers */
  constructor(
    private readonly max: number,
    private readonly clock: Clock,
    private readonly timeOfDay: Clock = Date.now,
  ) {
    this.#limit = max;
  }

  get value(): number {
    return Math.floor(this.#limit);
  }

  /** True if one more call may be made in addition to those in flight. */
  allows(inFlight: number): boolean {
    if (this.#mode.kind === 'trial') this.#advance(this.#mode, inFlight);
    return inFlight < this.value;
  }

  /** The value that the limit can soon grow to. */
  get attainable(): number {
    return this.#mode.kind === 'open' ? this.max : this.value;
  }

  /** @param inFlight calls that remain in flight */
  ended(call: Ticket, inFlight: number): void {
    const tookMs = this.clock() - call.startedAtMs;
    // Until the first call has ended, nothing shows that there are too many.
    if (this.#mean.calls === 0) this.#limit = Math.min(this.max, Math.max(FIRST_LIMIT, inFlight + 1));
    this.#mean.add(tookMs);
    this.#cutOff += WEIGHT * (Number(call.end === 'cut-off') - this.#cutOff);
    if (this.#mode.kind === 'trial') this.#advance(this.#mode, inFlight);
    if (this.#mode.kind === 'trial') return this.#try(this.#mode, call, tookMs, inFlight);
    const { calls, ms: meanMs } = this.#mean;
    if (calls >= MIN_USUAL_CALLS) this.#usualMs = Math.min(this.#usualMs, meanMs);
    const isSlow = meanMs > 2 * this.#usualMs + SLACK_MS || this.#cutOff > CUT_OFF_SHARE;
    const isReached = inFlight + 1 >= this.value;
    if (this.#mode.kind === 'limited') return this.#follow(this.#mode, meanMs, isSlow, isReached);
    if (isSlow && inFlight >= MIN_LIMIT) this.#prepareTrial(inFlight + 1);
    else if (isReached) this.#limit = Math.min(this.max, this.#limit + 1);
  }

  #prepareTrial(among: number, repeats = 0): void {
    const beginsAtMs = Math.ceil(this.timeOfDay() / TRIAL_EVERY_MS) * TRIAL_EVERY_MS;
    const measured = { before: new Mean(), after: new Mean(), cutOff: 0, reachedAtMs: undefined };
    const limits = { limitBefore: this.#limit, hasBegun: false };
    this.#mode = { kind: 'trial', among, repeats, beginsAtMs, ...limits, ...measured };
  }

  /**
   * Begins a trial when it is due, unless enough calls have ended already, and ends a trial without a
   * decision.
   */
  #advance(trial: Trial, inFlight: number): void {
    const { among, before } = trial;
    const forMs = this.timeOfDay() - trial.beginsAtMs;
    if (forMs < 0) return;
    const isOver = forMs > Math.max(MIN_TRIAL_MS, TRIAL_TIMES * before.ms);
    if (isOver || (!trial.hasBegun && inFlight < TRIAL_SHARE * among)) {
      this.#mode = { kind: 'open' };
      this.#limit = Math.max(this.#limit, trial.limitBefore);
    } else if (!trial.hasBegun) {
      trial.hasBegun = true;
      this.#limit = Math.max(MIN_LIMIT, TRIAL_SHARE * among);
    }
  }

  #try(trial: Trial, call: Ticket, tookMs: number, inFlight: number): void {
    const { among, before, after } = trial;
    if (trial.hasBegun && inFlight <= this.#limit) trial.reachedAtMs ??= this.clock();
    if (trial.reachedAtMs === undefined || call.startedAtMs < trial.reachedAtMs) {
      if (call.startedAmong >= BEFORE_SHARE * among) before.add(tookMs);
      return;
    }
    after.add(tookMs);
    if (call.end === 'cut-off') trial.cutOff += 1;
    if (after.calls >= Math.min(MAX_TRIAL_CALLS, Math.max(MIN_TRIAL_CALLS, this.#limit))) this.#decide(trial);
  }

  #decide({ before, after, cutOff, among, repeats }: Trial): void {
    const nowMs = this.clock();
    const isCutOff = cutOff > CUT_OFF_SHARE * after.calls;
    this.#mean = after;
    this.#cutOff = 0;
    if (isCutOff || after.ms < CONFIRMED_SHARE * before.ms) {
      const served = (this.#limit * (this.#usualMs + SLACK_MS)) / after.ms;
      const share = isCutOff ? CUT_OFF_SHARE * among : Math.min(this.#limit, served);
      this.#limit = Math.max(MIN_LIMIT, share);
      this.#mode = { kind: 'limited', changedAtMs: nowMs, neededAtMs: nowMs };
    } else if (after.ms > RISING_SHARE * before.ms && repeats < MAX_REPEATS) {
      this.#prepareTrial(this.#limit, repeats + 1);
    } else {
      this.#limit = among;
      this.#usualMs = after.ms;
      this.#mode = { kind: 'open' };
    }
  }

  #follow(limited: Limited, meanMs: number, isSlow: boolean, isReached: boolean): void {
    const nowMs = this.clock();
    if (isSlow ? this.#limit > MIN_LIMIT : isReached) limited.neededAtMs = nowMs;
    if (this.#limit >= this.max || nowMs - limited.neededAtMs > LIFT_AFTER_MS) {
      this.#usualMs = Math.max(this.#usualMs, isSlow ? meanMs : 0);
      this.#mode = { kind: 'open' };
    } else if (nowMs - limited.changedAtMs >= Math.max(CHANGE_EVERY_MS, meanMs)) {
      if (!isSlow && !isReached) return;
      limited.changedAtMs = nowMs;
      const shrink = this.#cutOff > CUT_OFF_SHARE ? CUT_OFF_SHARE : SHRINK;
      const next = isSlow ? this.#limit * shrink : Math.max(this.#limit + 1, this.#limit * GROWTH);
      this.#limit = Math.min(this.max, Math.max(MIN_LIMIT, next));
    }
  }
}
