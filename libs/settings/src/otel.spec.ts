import { describe, expect, it } from '@jest/globals';

import { tracingOf } from './otel.ts';
import { readSettings } from './settings.ts';
import { faultsOf, REQUIRED } from './settings.fixture.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318/' };

const tracing = (variables: Record<string, string>) => tracingOf(readSettings({ ...REQUIRED, ...variables }));

describe('tracingOf', () => {
  it('is off unless an endpoint, or the exporter, is named', () => {
    expect(tracing({})).toBeUndefined();
    expect(tracing({ OTEL_SERVICE_NAME: 'bridge', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toBeUndefined();
    expect(tracing({ ...ENDPOINT, OTEL_SDK_DISABLED: 'true' })).toBeUndefined();
    expect(tracing({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    expect(tracing({ OTEL_TRACES_EXPORTER: 'otlp' })).toMatchObject({
      url: 'http://localhost:4318/v1/traces',
    });
  });

  it("has OpenTelemetry's defaults, and the name of this service", () => {
    expect(tracing(ENDPOINT)).toMatchObject({
      url: 'https://collector.example.com:4318/v1/traces',
      headers: {},
      OTEL_SERVICE_NAME: 'poker-bridge',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
      OTEL_BSP_SCHEDULE_DELAY: 5_000,
      OTEL_BSP_EXPORT_TIMEOUT: 30_000,
      OTEL_BSP_MAX_QUEUE_SIZE: 2_048,
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: 512,
    });
  });

  it('prefers what is said of traces alone', () => {
    const variables = {
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=all, x-all=%2Cyes=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'api-key=traces',
    };
    expect(tracing(variables)).toMatchObject({
      url: 'https://traces.example.com/otlp',
      headers: { 'api-key': 'traces', 'x-all': ',yes=1' },
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary', 'must be pairs such as api-key=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary=%', 'must be pairs such as api-key=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'ca nary=1', 'must be pairs such as api-key=secret'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'must be http/protobuf'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'canary:4318', 'must be an http or https URL'],
    ['OTEL_TRACES_SAMPLER', 'canary', 'must be always_on, always_off or traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'canary', 'must be a number from 0 to 1'],
  ])('refuses %s=%s', (variable, value, reason) => {
    const [fault] = faultsOf(() => tracing({ [variable]: value }));
    expect(fault).toContain(`${variable}: ${reason}`);
    expect(fault).not.toContain('canary');
  });
});
