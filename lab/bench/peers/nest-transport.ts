// Nest's own RabbitMQ transport with manual acknowledgement, as shown in its documentation, and a
// class-validator pipe.
import 'reflect-metadata';

import { Controller, Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Ctx,
  MessagePattern,
  type MicroserviceOptions,
  Payload,
  RmqContext,
  Transport,
} from '@nestjs/microservices';
import type { Channel, ConsumeMessage } from 'amqplib';

import { CreateSessionDto } from './create-session-dto.ts';
import { createSession, type Session, settings } from './peer.ts';

@Controller()
class SessionController {
  @MessagePattern('session.create')
  async create(@Payload() data: CreateSessionDto, @Ctx() context: RmqContext): Promise<Session> {
    const channel = context.getChannelRef() as Channel;
    const message = context.getMessage() as ConsumeMessage;
    const session = await createSession(data);
    channel.ack(message);
    return session;
  }
}

@Module({ controllers: [SessionController] })
class AppModule {}

const { amqpUrl, queue, prefetch } = settings;
const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, {
  transport: Transport.RMQ,
  options: {
    urls: [amqpUrl],
    queue,
    noAck: false,
    prefetchCount: prefetch,
    queueOptions: { durable: true, arguments: { 'x-queue-type': 'quorum' } },
  },
});
app.useGlobalPipes(new ValidationPipe());
app.enableShutdownHooks();
await app.listen();
