import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { context, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import { TraceState } from '@opentelemetry/core';
import { StackContextManager } from '@opentelemetry/sdk-trace';

import { activeTraceContext, readOptions } from './caller-options.ts';

const URL_OF_SHOP = 'amqps://sh%2Fop:secret@broker-1.example/vhost';

describe('readOptions', () => {
  it('reads one or more URLs', () => {
    const second = 'amqps://shop:secret@broker-2.example/vhost';
    for (const url of [`${URL_OF_SHOP}, ${second}`, [URL_OF_SHOP, second]])
      expect(readOptions({ url, name: 'shop' }).urls).toEqual([URL_OF_SHOP, second]);
  });

  it('sets the broker user as user id if sendUserId is true', () => {
    expect(readOptions({ url: URL_OF_SHOP, name: 'shop' }).sender.userId).toBeUndefined();
    expect(readOptions({ url: URL_OF_SHOP, name: 'shop', sendUserId: true }).sender.userId).toBe('sh/op');
  });

  it.each([
    [{ url: '', name: 'shop' }, /url must be amqp or amqps URLs/],
    [{ url: 'http://broker', name: 'shop' }, /url must be amqp or amqps URLs/],
    [{ url: 'amqp://shop:secret@host:port', name: 'shop', sendUserId: true }, /percent-encoded/],
    [{ url: URL_OF_SHOP, name: '' }, /must not be empty/],
    [{ url: URL_OF_SHOP, name: 'poker' }, /name must not be poker/],
    [{ url: URL_OF_SHOP, name: 'house', prefix: 'house' }, /name must not be house/],
  ])('refuses %j, without its password', (options, expected) => {
    const read = () => readOptions(options);
    expect(read).toThrow(expected);
    expect(read).not.toThrow(/secret/);
  });
});

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

  it('returns the trace context of the active span', () => {
    expect(within(SPAN)).toEqual({ traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' });
    const traceState = new TraceState('vendor=1');
    expect(within({ ...SPAN, traceFlags: TraceFlags.NONE, traceState })).toEqual({
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
      tracestate: 'vendor=1',
    });
  });

  it('is empty without a valid active span', () => {
    expect(activeTraceContext()).toEqual({});
    expect(within({ ...SPAN, traceId: '0'.repeat(32) })).toEqual({});
    context.disable();
    expect(within(SPAN)).toEqual({});
  });
});
