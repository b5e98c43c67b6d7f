import { describe, expect, it } from '@jest/globals';

import { readOperators } from './operators.ts';
import { tracingOf } from './otel.ts';
import { readSettings } from './settings.ts';
import { REQUIRED } from './settings.fixture.ts';
import { warningsOf } from './warnings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example.com:4318/' };

const tracing = (variables: Record<string, string>) => tracingOf(readSettings({ ...REQUIRED, ...variables }));

describe('tracingOf', () => {
  it('returns undefined unless an endpoint or the exporter is set', () => {
    expect(tracing({})).toBeUndefined();
    expect(tracing({ OTEL_SERVICE_NAME: 'bridge', OTEL_EXPORTER_OTLP_HEADERS: 'a=b' })).toBeUndefined();
    expect(tracing({ ...ENDPOINT, OTEL_SDK_DISABLED: 'True' })).toBeUndefined();
    expect(tracing({ ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' })).toBeUndefined();
    const named = tracing({ OTEL_TRACES_EXPORTER: 'otlp' });
    expect(named?.url).toBe('http://localhost:4318/v1/traces');
    expect(tracing(ENDPOINT)?.url).toBe('https://collector.example.com:4318/v1/traces');
  });

  it('prefers variables that apply only to traces', () => {
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
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'canary', 'must be an http or https URL'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary', 'must be pairs such as api-key=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary=%', 'must be pairs such as api-key=secret'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/protobuf'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json', 'must be one of http/protobuf'],
    ['OTEL_TRACES_EXPORTER', 'console', 'must be one of otlp, none'],
    ['OTEL_SDK_DISABLED', 'canary', 'must be one of false, true'],
    ['OTEL_TRACES_SAMPLER', 'canary', 'must be one of always_on, always_off, traceidratio'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
    ['OTEL_BSP_SCHEDULE_DELAY', '5s', 'must be an integer from 1 to 3600000'],
  ])('turns traces off with a warning for %s=%s', (variable, value, reason) => {
    const environment = { ...REQUIRED, PLATFORM_SECRET_KEY: 'key', ...ENDPOINT, [variable]: value };
    const settings = readSettings(environment);
    expect(tracingOf(settings)).toBeUndefined();
    const warnings = [...warningsOf(settings, readOperators(settings), environment)];
    expect(warnings).toEqual([expect.stringMatching(`^${variable} ${reason}.*; traces are off$`)]);
    expect(warnings.join()).not.toContain('canary');
  });
});
