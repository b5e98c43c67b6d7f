import { relocated } from '../schemas/json-schema.ts';
import { OPENAPI_PATHS } from './openapi-paths.ts';
import { OPENAPI_SCHEMAS } from './openapi-schemas.ts';

const SIGNATURE =
  'SHA-256 over the values of all parameters, sorted by name, and the secret key; lowercase hexadecimal. Open-game may be unsigned where the client has no secret key.';

/** The platform's interface, as the sandbox serves it, as an OpenAPI 3.1 document. */
export function openApiDocument(): object {
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Poker platform, as the sandbox of poker-bridge serves it',
      version: '1.0.0',
      description:
        'The four operations of the interface document. Faults on request are told in docs/sandbox.md.',
    },
    servers: [{ url: 'http://127.0.0.1:3100', description: 'npm run sandbox' }],
    security: [{ signature: [] }],
    paths: OPENAPI_PATHS,
    components: {
      securitySchemes: { signature: { type: 'apiKey', in: 'header', name: 'sign', description: SIGNATURE } },
      schemas: OPENAPI_SCHEMAS,
    },
  };
  return relocated(document, '#/components/schemas/');
}
