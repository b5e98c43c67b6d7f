import { Catch, Controller, type RpcExceptionFilter, type Type } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

import type { CommandData, CommandType, ReplyTo, ReplyType } from '#contracts';
import { COMMANDS } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient, Result } from '#platform';

import { ReportFetchController } from './report-fetch/report-fetch.controller.ts';

/** The commands that are answered with the result of one call to the platform, as it is. */
type OneReply = {
  [T in CommandType]: Result<T> extends ReplyTo<T>['data'] ? T : never;
}[CommandType];

/**
 * The controllers of commands that need more than one call and its result. A command with several replies and
 * without a controller is a compile error.
 */
const OWN: Readonly<Record<Exclude<CommandType, OneReply>, Type> & Partial<Record<CommandType, Type>>> = {
  'report.ad-hoc.fetch': ReportFetchController,
  'report.rake.fetch': ReportFetchController,
};

/** The controllers of all commands; some serve several. */
export const CONTROLLERS: ReadonlySet<Type> = new Set(
  COMMANDS.map(({ type, replies }) => OWN[type] ?? controllerOf(type, replies[0].type)),
);

/** Returns a controller that calls the platform once, and answers with the result. */
function controllerOf(type: CommandType, reply: ReplyType): Type {
  @Controller()
  class OneReplyController {
    @MessagePattern(type)
    async run(@Payload() data: CommandData[CommandType], @Ctx() command: CommandContext<PlatformClient>) {
      return { type: reply, data: await command.client.call(type, data, command) };
    }
  }
  return OneReplyController;
}

/**
 * Passes errors thrown by handlers to the pipeline unchanged; Nest would replace them with a generic error.
 */
@Catch()
export class PassErrorsFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
