import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';

import type { OnExportFailed } from './tracing.ts';

const REPORT_INTERVAL_MS = 60_000;

/** Tells which spans were lost, but not of every batch: a collector that is away is one fault. */
export class ReportingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #onFailed: OnExportFailed;
  readonly #nowMs: () => number;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #lost = 0;
  #underWay = 0;

  constructor(
    exporter: SpanExporter,
    onFailed: OnExportFailed,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#exporter = exporter;
    this.#onFailed = onFailed;
    this.#nowMs = nowMs;
  }

  export(spans: ReadableSpan[], resultCallback: (result: ExportResult) => void): void {
    this.#underWay += spans.length;
    this.#exporter.export(spans, (result) => {
      this.#underWay -= spans.length;
      if (result.code !== ExportResultCode.SUCCESS) {
        this.#lose(spans.length, result.error ?? new Error('the export failed'));
      }
      resultCallback(result);
    });
  }

  forceFlush(): Promise<void> {
    return this.#exporter.forceFlush?.() ?? Promise.resolve();
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  /** Waits for the last exports, and tells what is still under way after `withinMs`. Never rejects. */
  async within(withinMs: number, finish: () => Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const cutOff = new Promise<'cut off'>((resolve) => {
      timer = setTimeout(() => resolve('cut off'), withinMs);
    });
    // What failed has been told.
    const outcome = await Promise.race([finish().catch(() => undefined), cutOff]);
    clearTimeout(timer);
    if (outcome !== 'cut off' || this.#underWay === 0) return;
    this.#reportedAtMs = Number.NEGATIVE_INFINITY;
    this.#lose(this.#underWay, new Error('the worker stopped before they were taken'));
  }

  #lose(spans: number, error: Error): void {
    this.#lost += spans;
    const nowMs = this.#nowMs();
    if (nowMs - this.#reportedAtMs < REPORT_INTERVAL_MS) return;
    this.#reportedAtMs = nowMs;
    const lost = this.#lost;
    this.#lost = 0;
    this.#onFailed(lost, error);
  }
}
