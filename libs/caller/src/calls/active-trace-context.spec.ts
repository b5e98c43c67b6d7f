import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { context, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { StackContextManager } from '@opentelemetry/sdk-trace';

import { activeTraceContext } from './active-trace-context.ts';

const SPAN = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  traceFlags: TraceFlags.SAMPLED,
};

const within = (span: typeof SPAN & { traceState?: TraceState }) =>
  context.with(trace.setSpanContext(ROOT_CONTEXT, span), activeTraceContext);

describe('activeTraceContext', () => {
  beforeEach(() => void context.setGlobalContextManager(new StackContextManager().enable()));
  afterEach(() => context.disable());

  it('is that of the active span', () => {
    expect(within(SPAN)).toEqual({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
    const traceState = new TraceState('vendor=1');
    expect(within({ ...SPAN, traceFlags: TraceFlags.NONE, traceState })).toEqual({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
      tracestate: 'vendor=1',
    });
  });

  it('is empty without a valid one', () => {
    expect(activeTraceContext()).toEqual({});
    expect(within({ ...SPAN, traceId: '0'.repeat(32) })).toEqual({});
    context.disable();
    expect(within(SPAN)).toEqual({});
  });
});
