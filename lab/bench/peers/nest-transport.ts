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
import { IsIn, IsNotEmpty, IsOptional, IsString, Length, MaxLength } from 'class-validator';

import { createSession, type Session, settings } from './peer.ts';

class CreateSessionDto {
  @IsString()
  @IsNotEmpty()
  @MaxLength(255)
  readonly userId!: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  readonly nick?: string;

  @IsOptional()
  @IsIn(['external', 'internal'])
  readonly authType?: string;

  @IsOptional()
  @Length(2, 2)
  readonly lang?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  readonly currency?: string;
}

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

const { amqpUrl, queue, queueType, prefetch } = settings;
const app = await NestFactory.createMicroservice<MicroserviceOptions>(AppModule, {
  transport: Transport.RMQ,
  options: {
    urls: [amqpUrl],
    queue,
    noAck: false,
    prefetchCount: prefetch,
    queueOptions: { durable: true, arguments: { 'x-queue-type': queueType } },
  },
});
app.useGlobalPipes(new ValidationPipe());
app.enableShutdownHooks();
await app.listen();
