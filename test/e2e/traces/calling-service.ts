import { context, type Span, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { SimpleSpanProcessor, StackContextManager, TracerProvider } from '@opentelemetry/sdk-trace';

/** A service with OpenTelemetry of its own, as another team sets it up. */
export class CallingService implements AsyncDisposable {
  readonly #provider: TracerProvider;

  /** @param collector the root of its address */
  constructor(collector: string) {
    const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces` });
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': 'shop' }),
      spanProcessors: [new SimpleSpanProcessor({ exporter })],
    });
    context.setGlobalContextManager(new StackContextManager().enable());
  }

  /** Makes a call while a span of its own is active, which it is until the call has ended. */
  async within<T>(name: string, act: () => Promise<T>): Promise<{ result: T; span: Span }> {
    const span = this.#provider.getTracer('shop').startSpan(name);
    try {
      return { result: await context.with(trace.setSpan(context.active(), span), act), span };
    } finally {
      span.end();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.shutdown();
    context.disable();
  }
}
