import {
  type Definition,
  httpRoot,
  integer,
  oneOf,
  optional,
  type Reader,
  secret,
  setting,
  text,
  type ValuesOf,
} from './readers.ts';

/** OpenTelemetry's own names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const HOUR_MS = 60 * 60 * 1000;
const LARGEST_QUEUE = 1_000_000;

/** `api-key=value,…` with percent-encoded values, as OpenTelemetry writes headers. */
const otlpHeaders: Reader<Readonly<Record<string, string>>> = (value) => {
  try {
    const pairs = value.split(',').map((pair) => {
      const [, name, encoded = ''] = /^\s*([!#$%&'*+.^`|~\w-]+)\s*=(.*)$/.exec(pair) ?? [];
      if (name === undefined) throw new URIError();
      return [name, decodeURIComponent(encoded.trim())];
    });
    return Object.fromEntries(pairs) as Record<string, string>;
  } catch {
    throw new Error('must be pairs such as api-key=secret, with percent-encoded values');
  }
};

/** Accepts words case-insensitively, like OpenTelemetry. */
const inAnyCase =
  <T>(read: Reader<T>): Reader<T> =>
  (value) =>
    read(value.trim().toLowerCase());

const protocol = oneOf(['http/protobuf']);

const ratio: Reader<number> = (value) => {
  if (!/^(0(\.\d+)?|1(\.0+)?)$/.test(value)) throw new Error('must be a number from 0 to 1');
  return Number(value);
};

/**
 * OpenTelemetry variables that decide whether and where traces are exported; its SDK reads the others itself.
 */
export const OTEL_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpRoot),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optional(httpRoot),
  OTEL_EXPORTER_OTLP_HEADERS: secret(optional(otlpHeaders)),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: secret(optional(otlpHeaders)),
  OTEL_EXPORTER_OTLP_PROTOCOL: setting(protocol, 'http/protobuf'),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: optional(protocol),
  OTEL_TRACES_EXPORTER: optional(inAnyCase(oneOf(['otlp', 'none']))),
  OTEL_SDK_DISABLED: setting(inAnyCase(oneOf(['false', 'true'])), 'false'),
  OTEL_SERVICE_NAME: setting(text, 'poker-bridge'),
  OTEL_TRACES_SAMPLER: setting(oneOf(SAMPLERS), 'parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: setting(ratio, '1'),
  OTEL_BSP_SCHEDULE_DELAY: setting(integer(1, HOUR_MS), '5000'),
  OTEL_BSP_EXPORT_TIMEOUT: setting(integer(1, HOUR_MS), '30000'),
  OTEL_BSP_MAX_QUEUE_SIZE: setting(integer(1, LARGEST_QUEUE), '2048'),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: setting(integer(1, LARGEST_QUEUE), '512'),
} as const satisfies Record<string, Definition<unknown>>;

type OtelSettings = ValuesOf<typeof OTEL_SETTINGS>;

const DEFAULT_ENDPOINT = 'http://localhost:4318';

/**
 * OpenTelemetry's settings, the OTLP/HTTP endpoint, and the headers of each export, which may contain
 * secrets.
 */
export type TracingSettings = NonNullable<ReturnType<typeof tracingOf>>;

/** Returns how traces are exported; `undefined` if tracing is not configured. */
export function tracingOf(settings: OtelSettings) {
  const endpoint = endpointOf(settings);
  const headers = { ...settings.OTEL_EXPORTER_OTLP_HEADERS, ...settings.OTEL_EXPORTER_OTLP_TRACES_HEADERS };
  return endpoint && { ...settings, url: endpoint.url, headers };
}

/** Returns the URL to which spans are exported, and the variable that sets it. */
export function endpointOf(settings: OtelSettings) {
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER: exporter } = settings;
  if (OTEL_SDK_DISABLED === 'true' || exporter === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole, OTEL_EXPORTER_OTLP_ENDPOINT: root } = settings;
  if (whole !== undefined) return { variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url: whole };
  if (root === undefined && exporter === undefined) return undefined;
  return { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: `${root ?? DEFAULT_ENDPOINT}/v1/traces` };
}
