import type { CommandTracer } from '#messaging';
import type { PlatformTracer } from '#platform';
import { type Settings, tracingOf } from '#settings';
import { type Logger, openTracing, type Tracing } from '#telemetry';

/** The tracers of commands and of calls, and their end. */
export interface Traces extends Pick<Tracing, 'close'> {
  readonly commands: CommandTracer;
  readonly platform: PlatformTracer;
}

/** Traces by OpenTelemetry; `undefined`, and nothing of it loaded, if the settings do not ask for them. */
export async function openTraces(settings: Settings, logger: Logger): Promise<Traces | undefined> {
  const tracing = tracingOf(settings);
  if (tracing === undefined) return undefined;
  const { CommandTraces, PlatformTraces } = await import('./traces.ts');
  const opened = await openTracing(tracing, (spans, cause) =>
    logger.warn({ spans, cause }, 'traces could not be exported'),
  );
  return {
    commands: new CommandTraces(opened.tracer),
    platform: new PlatformTraces(opened.tracer),
    close: opened.close,
  };
}
