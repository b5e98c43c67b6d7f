import type { LatencySettings } from '../settings.ts';

/** The delay of every answer; the control API changes it. */
export class Latency {
  private current: LatencySettings;

  /** @param random from 0 to 1, for the spread */
  constructor(
    private readonly initial: LatencySettings,
    private readonly random: () => number,
  ) {
    this.current = initial;
  }

  get(): LatencySettings {
    return this.current;
  }

  set(latency: LatencySettings): void {
    this.current = latency;
  }

  reset(): void {
    this.current = this.initial;
  }

  /** The delay of one request, in milliseconds; `further` is the delay of a fault. */
  draw(further: LatencySettings = { fixedMs: 0, spreadMs: 0 }): number {
    const spreadMs = this.current.spreadMs + further.spreadMs;
    return this.current.fixedMs + further.fixedMs + (spreadMs > 0 ? this.random() * spreadMs : 0);
  }
}
