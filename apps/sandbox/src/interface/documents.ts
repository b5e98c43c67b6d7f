import { STATUS_CODES } from 'node:http';
import { HttpException } from '@nestjs/common';

/** The endpoints of the interface document, by the names that the sandbox uses for them. */
const ENDPOINTS = {
  session: /^POST \/api\/web\/v2\/app\/users\/[^/]+\/session$/,
  'open-game': /^POST \/apiweb\/v3\/open-game$/,
  'ad-hoc-report': /^POST \/api\/web\/v2\/app\/reports\/ad_hoc$/,
  rake: /^GET \/api\/web\/v2\/app\/users\/rake$/,
};

export type Operation = keyof typeof ENDPOINTS;

export const OPERATIONS = Object.keys(ENDPOINTS) as readonly Operation[];

export function operationOf(method: string, path: string): Operation | undefined {
  return OPERATIONS.find((operation) => ENDPOINTS[operation].test(`${method} ${path}`));
}

/** The media type of the platform's answers; JSON:API allows no charset parameter. */
export const JSON_API = 'application/vnd.api+json';

/** The members of an entry of a JSON:API `errors` array besides its status. */
export interface ErrorParts {
  readonly detail?: string;
  /** Path to the offending member, for example `/data/attributes/currency`. */
  readonly pointer?: string;
  /** Details for developers, which a real platform would not send. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A refusal of the platform; the error filter writes it as a JSON:API document. */
export class PlatformError extends HttpException {
  constructor(
    status: number,
    readonly parts: ErrorParts = {},
  ) {
    super(parts.detail ?? STATUS_CODES[status] ?? `Status ${status}`, status);
  }
}

/** The texts of the interface document for reports and for conditions without a specific text. */
export const DETAILS: Readonly<Record<number, string>> = { 404: 'Not found', 422: 'Incorrect data' };

/** The `errors` document of the interface: `status` is an integer there, unlike in JSON:API itself. */
export function errorDocument(status: number, parts: ErrorParts = {}) {
  const title = STATUS_CODES[status] ?? 'Error';
  const { detail = DETAILS[status] ?? title, pointer, meta } = parts;
  const error = { status, title, detail, ...(pointer && { source: { pointer } }), ...(meta && { meta }) };
  return { errors: [error] };
}

// part of ES2026, which TypeScript's library does not declare yet
const { rawJSON } = JSON as typeof JSON & { rawJSON(this: void, text: string): unknown };

/** Serializes a value as JSON. A bigint becomes an integer with all its digits. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' ? rawJSON(String(member)) : member,
  );
}

export function asText(value: unknown): string {
  return typeof value === 'string' ? value : exactJson(value);
}
