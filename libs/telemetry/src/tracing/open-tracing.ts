import type { OnExportFailed, Tracing, TracingSettings } from './export-traces.ts';

/** Loads the SDK of OpenTelemetry, which nothing else does, and exports spans. */
export async function openTracing(
  settings: TracingSettings,
  onExportFailed: OnExportFailed,
): Promise<Tracing> {
  const { exportTraces } = await import('./export-traces.ts');
  return exportTraces(settings, onExportFailed);
}
