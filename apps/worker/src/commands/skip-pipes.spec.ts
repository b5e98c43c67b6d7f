import { describe, expect, it } from '@jest/globals';
import { Controller, type PipeTransform, type Type, UsePipes } from '@nestjs/common';
import { ApplicationConfig } from '@nestjs/core';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { PARAM_ARGS_METADATA } from '@nestjs/microservices/constants.js';

import { skipPipes } from './skip-pipes.ts';

class Upper implements PipeTransform<string> {
  transform(value: string): string {
    return value.toUpperCase();
  }
}

/** How many parameters Nest still reads through pipes. */
function readAfterwards(controller: Type, config = new ApplicationConfig()): number {
  skipPipes({ get: () => config } as never, [controller]);
  return Object.keys(Reflect.getMetadata(PARAM_ARGS_METADATA, controller, 'handle') as object).length;
}

function plain(): Type {
  @Controller()
  class Handlers {
    @MessagePattern('session.create')
    handle(@Payload() _data: unknown, @Ctx() _context: unknown): void {}
  }
  return Handlers;
}

describe('skipPipes', () => {
  it('has a handler without pipes called as the transport calls it', () => {
    expect(readAfterwards(plain())).toBe(0);
  });

  it('leaves a handler alone if a pipe is for all', () => {
    const config = new ApplicationConfig();
    config.useGlobalPipes(new Upper());
    expect(readAfterwards(plain(), config)).toBe(2);
  });

  it('leaves a handler alone whose class, method or parameter has a pipe, or that takes something else', () => {
    @Controller()
    @UsePipes(Upper)
    class OfClass {
      handle(@Payload() _data: unknown, @Ctx() _context: unknown): void {}
    }
    class OfMethod {
      @UsePipes(Upper)
      handle(@Payload() _data: unknown, @Ctx() _context: unknown): void {}
    }
    class OfParameter {
      handle(@Payload(Upper) _data: unknown, @Ctx() _context: unknown): void {}
    }
    class OfMember {
      handle(@Payload('userId') _player: unknown, @Ctx() _context: unknown): void {}
    }
    class Turned {
      handle(@Ctx() _context: unknown, @Payload() _data: unknown): void {}
    }
    const all = [OfClass, OfMethod, OfParameter, OfMember, Turned].map((controller) =>
      readAfterwards(controller),
    );
    expect(all).toEqual([2, 2, 2, 2, 2]);
  });
});
