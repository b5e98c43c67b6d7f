import { SCHEMA_VERSION } from '#contracts';
import { topologyOf } from '#messaging';
import { readSomeSettings } from '#settings';

import { relocated } from '../schemas/rule-schemas.ts';
import { SCHEMAS } from '../schemas/schemas.ts';
import { channels, operations } from './channels.ts';
import { messages } from './messages.ts';

const DESCRIPTION = [
  'Commands from RabbitMQ are run against an online-poker platform, and each is answered exactly once.',
  'The document is written from the worker: what it receives you send, what it sends you receive.',
  'Names are those of the prefix poker (AMQP_PREFIX). Basic properties of AMQP stand under x-amqp-properties,',
  'since AsyncAPI has no place for them; $message.header#/reply_to and #/correlation_id are such properties.',
  'Messages may gain members: ignore what you do not know. Commands hold no members but these.',
].join('\n');

/** The bus as one AsyncAPI 3 document. */
export function asyncApiDocument(): object {
  const { AMQP_PREFIX, REPORTS_RETRY_DELAYS_MS } = readSomeSettings(
    ['AMQP_PREFIX', 'REPORTS_RETRY_DELAYS_MS'],
    {},
  );
  const { exchanges, queues, bindings } = topologyOf(AMQP_PREFIX, REPORTS_RETRY_DELAYS_MS);
  const document = {
    asyncapi: '3.0.0',
    id: `urn:poker-bridge:contract:${SCHEMA_VERSION}`,
    info: { title: 'poker-bridge', version: `${SCHEMA_VERSION}.0.0`, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: {
      rabbitmq: { host: '127.0.0.1:5672', protocol: 'amqp', protocolVersion: '0-9-1' },
    },
    channels: channels(),
    operations: operations(),
    components: { messages: messages(SCHEMAS), schemas: SCHEMAS },
    'x-topology': { exchanges, queues, bindings },
  };
  return relocated(document, '#/components/schemas/');
}
