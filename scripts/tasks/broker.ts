import { parseArgs } from 'node:util';

import { startBroker } from '../broker/start-broker.ts';
const { values } = parseArgs({ options: { port: { type: 'string' } } });
const broker = await startBroker(values.port === undefined ? {} : { port: Number(values.port) });
console.log(broker.url);
