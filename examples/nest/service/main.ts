// Starts the service of app.module.ts.
//
// npm install @nestjs/{common,core,microservices,platform-express,terminus} amqplib amqp-connection-manager \
//     reflect-metadata rxjs <the packed files of libs/contracts, rabbitmq and caller>
//   npx tsc && AMQP_URL=amqp://guest:guest@127.0.0.1:5672 node dist/main.js
import 'reflect-metadata';

import { NestFactory } from '@nestjs/core';

import { announcements, AppModule } from './app.module.js';

const app = await NestFactory.create(AppModule);
app.connectMicroservice(announcements);
app.enableShutdownHooks();
await app.startAllMicroservices();
await app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1');
console.log('listening on', await app.getUrl());
