import type { CommandTracer } from '#messaging';
import type { PlatformTracer } from '#platform';
import { type Settings, tracingOf } from '#settings';
import { type Logger, openTracing } from '#telemetry';

/** What traces commands and calls, and the end of it. */
export interface Traces {
  readonly commands: CommandTracer;
  readonly platform: PlatformTracer;
  /** Exports what is left, as far as that is done within `withinMs`. Never rejects. */
  close(withinMs: number): Promise<void>;
}

/** Traces by OpenTelemetry; `undefined`, and nothing of it loaded, if the settings do not ask for them. */
export async function openTraces(settings: Settings, logger: Logger): Promise<Traces | undefined> {
  const tracing = tracingOf(settings);
  if (tracing === undefined) return undefined;
  const { CommandTraces } = await import('./command-traces.ts');
  const { PlatformTraces } = await import('./platform-traces.ts');
  const opened = await openTracing(tracing, (spans, cause) =>
    logger.warn({ spans, cause }, 'traces could not be exported'),
  );
  return {
    commands: new CommandTraces(opened.tracer),
    platform: new PlatformTraces(opened.tracer),
    close: (withinMs) => opened.close(withinMs),
  };
}
