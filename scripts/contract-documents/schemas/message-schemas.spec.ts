import { describe, expect, it } from '@jest/globals';
import { IsDefined, IsString, ValidateBy } from 'class-validator';

import type { Shape } from '#contracts/validation';

import { schemasOf } from './message-schemas.ts';

const described = (): PropertyDecorator => IsDefined({ context: { description: 'What it is for.' } });
const schemaOf = (data: Shape) =>
  schemasOf([{ summary: 'Says something.', data }], { additionalProperties: false });

describe('schemasOf', () => {
  it('refuses a rule that has no JSON Schema: readers would take more than the worker', () => {
    class Strange {
      @described()
      @ValidateBy({ name: 'isStrange', validator: { validate: () => true } })
      readonly word!: string;
    }
    expect(() => schemaOf(Strange)).toThrow(
      new TypeError('the rule isStrange of Strange.word has no JSON Schema'),
    );
  });

  it('refuses a member that does not say what it is for', () => {
    class Silent {
      @IsString()
      readonly word!: string;
    }
    expect(() => schemaOf(Silent)).toThrow(
      new TypeError('Silent.word says neither what it is for nor whether it must be given'),
    );
  });
});
