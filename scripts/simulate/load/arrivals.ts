import type { CommandType } from '#contracts';
import type { Random } from '#resilience';

import { exponentialMs } from '../random.ts';
import type { Load } from '../scenario/scenario.ts';

/** Sends the commands of a load as time passes. */
export function startArrivals(load: Load, random: Random, send: (type: CommandType) => void): void {
  const sendPlayers = (): void => send(random() < load.gamesShare ? 'game.open' : 'session.create');
  repeat(() => load.perSecond * factorAt(load, Date.now()), random, sendPlayers);
  repeat(
    () => load.reportsPerSecond,
    random,
    () => send('report.rake.fetch'),
  );
  for (const { atMs, commands } of load.bursts) {
    setTimeout(() => {
      for (let command = 0; command < commands; command += 1) sendPlayers();
    }, atMs);
  }
}

/** A rate of 0 is looked at again a little later. */
function repeat(perSecond: () => number, random: Random, send: () => void): void {
  /** Of the next one, with its fraction: timers have whole milliseconds, in which several may come. */
  let atMs = 0;
  let isIdle = true;
  const goOn = (): void => {
    while (atMs <= Date.now()) {
      if (!isIdle) send();
      const rate = perSecond();
      isIdle = rate <= 0;
      atMs += isIdle ? IDLE_MS : exponentialMs(rate, random);
    }
    setTimeout(goOn, atMs - Date.now());
  };
  goOn();
}

const IDLE_MS = 100;

function factorAt({ surges }: Load, nowMs: number): number {
  return surges.reduce((factor, surge) => factor * (isWithin(surge, nowMs) ? surge.factor : 1), 1);
}

function isWithin(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  nowMs: number,
): boolean {
  return nowMs >= fromMs && nowMs < toMs;
}
