import { STATUS_CODES } from 'node:http';

import { type JsonSchema, reference, text } from '../schemas/json-schema.ts';
import { OPENAPI_EXAMPLES, REFUSAL_EXAMPLES } from './openapi-examples.ts';

type SchemaName = keyof typeof OPENAPI_EXAMPLES;

interface Operation {
  readonly id: string;
  readonly summary: string;
  readonly parameters: readonly object[];
  readonly body: { readonly mediaType: string; readonly schema: SchemaName };
  readonly answer: SchemaName;
  /** Statuses that refuse, beside those that every operation has. */
  readonly refusals?: readonly number[];
}

const JSON_API = 'application/vnd.api+json';
const FORM = 'application/x-www-form-urlencoded';
const REFUSALS = [400, 403, 422, 429, 500];

const query = (name: string, schema: JsonSchema, isRequired = false): object => ({
  name,
  in: 'query',
  ...(isRequired && { required: true }),
  schema,
});

const CLIENT_ID = query('clientId', text('Operator identifier; not signed.'), true);
const PAGING = [
  query('per-page', { type: 'integer', minimum: 1, description: 'Not signed.' }),
  query('page', { type: 'integer', minimum: 1, description: 'Not signed.' }),
];

/** The four operations. Source: interface document, "Endpoints". */
export const OPENAPI_PATHS = {
  '/api/web/v2/app/users/{userId}/session': {
    post: operation({
      id: 'createSession',
      summary: 'Create a user session',
      parameters: [
        { name: 'userId', in: 'path', required: true, schema: text('As in the form.') },
        CLIENT_ID,
      ],
      body: { mediaType: FORM, schema: 'SessionForm' },
      answer: 'SessionDocument',
      refusals: [404],
    }),
  },
  '/apiweb/v3/open-game': {
    post: operation({
      id: 'openGame',
      summary: 'Open game or lobby',
      parameters: [query('client', text('Operator identifier.'), true)],
      body: { mediaType: JSON_API, schema: 'OpenGameDocument' },
      answer: 'GameSessionDocument',
      refusals: [415],
    }),
  },
  '/api/web/v2/app/reports/ad_hoc': {
    post: operation({
      id: 'fetchAdHocReport',
      summary: 'Ad hoc report',
      parameters: [CLIENT_ID, ...PAGING],
      body: { mediaType: FORM, schema: 'ReportForm' },
      answer: 'AdHocReport',
    }),
  },
  '/api/web/v2/app/users/rake': {
    // As the document has it: form data in the body of a GET. RAKE_PARAMETERS_IN moves them to the query.
    get: operation({
      id: 'fetchRake',
      summary: 'Player rake; the form travels in the body of the GET',
      parameters: [
        CLIENT_ID,
        query('timeZone', text("A zone's name, or an offset such as +03:00.")),
        query('convertToPreferredCurrency', text("Converts into the player's preferred currency.")),
        query('sort', text('A field, with a minus in front for descending order; not signed.')),
        ...PAGING,
      ],
      body: { mediaType: FORM, schema: 'ReportForm' },
      answer: 'RakeReport',
    }),
  },
};

function operation({ id, summary, parameters, body, answer, refusals = [] }: Operation): object {
  const statuses = [...REFUSALS, ...refusals].toSorted((a, b) => a - b);
  return {
    operationId: id,
    summary,
    parameters,
    requestBody: { required: true, content: content(body.mediaType, body.schema) },
    responses: {
      200: { description: 'Done', content: content(JSON_API, answer) },
      ...Object.fromEntries(statuses.map((status) => [status, refusal(status)])),
    },
  };
}

function content(mediaType: string, schema: SchemaName): object {
  return { [mediaType]: { schema: reference(schema), example: OPENAPI_EXAMPLES[schema] } };
}

function refusal(status: number): object {
  const title = STATUS_CODES[status] ?? '';
  const examples = Object.entries(REFUSAL_EXAMPLES[status] ?? {}).map(([name, { detail, pointer }]) => {
    const entry = { status, title, detail, ...(pointer !== undefined && { source: { pointer } }) };
    return [name, { value: { errors: [entry] } }] as const;
  });
  return {
    description: title,
    ...(status === 429 && {
      headers: { 'Retry-After': { description: 'Seconds, or a date.', schema: { type: 'string' } } },
    }),
    content: { [JSON_API]: { schema: reference('ErrorDocument'), examples: Object.fromEntries(examples) } },
  };
}
