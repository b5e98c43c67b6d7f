import { describe, expect, it } from '@jest/globals';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';

import { COMMAND_TYPES } from '#contracts';

import { HANDLERS } from './handlers.ts';

/** The patterns that the methods of a controller serve. */
function patternsOf(controller: object): unknown[] {
  const { prototype } = controller as { readonly prototype: Record<string, object> };
  return Object.getOwnPropertyNames(prototype).flatMap(
    (name): unknown[] => Reflect.getMetadata(PATTERN_METADATA, prototype[name] ?? {}) ?? [],
  );
}

describe('HANDLERS', () => {
  it.each(COMMAND_TYPES)('has a controller with a method for %s', (type) => {
    expect(patternsOf(HANDLERS[type])).toContain(type);
  });

  it('serve nothing but commands', () => {
    const served = new Set(Object.values(HANDLERS).flatMap(patternsOf));
    expect([...served].toSorted()).toEqual([...COMMAND_TYPES].toSorted());
  });
});
