import { STATUS_CODES } from 'node:http';

/** The members of an entry of a JSON:API `errors` array besides its status. */
export interface ErrorParts {
  /** Default: the title. */
  readonly detail?: string;
  /** Path to the offending member, for example `/data/attributes/currency`. */
  readonly pointer?: string;
  /** Details that a real platform would not give, for developers. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** A refusal of the platform; the error filter writes it as a JSON:API document. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';

  constructor(
    readonly status: number,
    readonly parts: ErrorParts = {},
  ) {
    super(parts.detail ?? STATUS_CODES[status] ?? `Status ${status}`);
  }
}

/** The texts of the interface document for reports and for conditions without a specific text. */
const DETAILS: Readonly<Record<number, string>> = { 404: 'Not found', 422: 'Incorrect data' };

/** The `errors` document of the interface: `status` is an integer there, unlike in JSON:API itself. */
export function errorDocument(status: number, parts: ErrorParts = {}) {
  const title = STATUS_CODES[status] ?? 'Error';
  const { detail = DETAILS[status] ?? title, pointer, meta } = parts;
  return {
    errors: [{ status, title, detail, ...(pointer && { source: { pointer } }), ...(meta && { meta }) }],
  };
}
