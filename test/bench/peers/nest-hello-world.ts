// The hello-world microservice of Nest's documentation, on its own RabbitMQ transport.
import 'reflect-metadata';

import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices';

import { settings } from './peer-settings.ts';

@Controller()
class AppController {
  @MessagePattern('hello')
  hello(): string {
    return 'Hello World!';
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, {
  transport: Transport.RMQ,
  options: { urls: [settings.amqpUrl], queue: settings.queue, queueOptions: { durable: true } },
});
await app.listen();
