import { describe, expect, it } from '@jest/globals';
import { IsString, MaxLength, registerDecorator, ValidateNested } from 'class-validator';

import { compileShape, rulesOf } from './compile-shape.ts';

const waits = (target: object, propertyName: string) =>
  registerDecorator({
    target: target.constructor,
    propertyName,
    name: 'waits',
    async: true,
    validator: { validate: async () => true },
  });

describe('compileShape', () => {
  // The order of the rules, and inherited ones, are in ../commands/validate-command.spec.ts.
  it('takes a message that is made for the member', () => {
    class Word {
      @MaxLength(3, { message: ({ property, constraints }) => `${property} is over ${constraints[0]}` })
      readonly word = 'long';
    }
    expect(compileShape(Word).members.get('word')?.faultIn(new Word())).toBe('word is over 3');
  });

  it.each([
    ['each', IsString({ each: true })],
    ['a nested object of no named class', ValidateNested()],
    ['a promise as its answer', waits],
  ])('refuses a rule with %s', (_name, decorate) => {
    class Odd {
      readonly member!: string;
    }
    decorate(Odd.prototype, 'member');
    expect(() => compileShape(Odd)).toThrow(new TypeError('Odd.member has a rule that cannot be compiled'));
  });
});

describe('rulesOf', () => {
  it('refuses a member that has none: it would not be validated or documented', () => {
    class Forgetful {
      @IsString()
      readonly named!: string;

      readonly forgotten?: string;
    }
    expect(() => rulesOf(Forgetful)).toThrow(new TypeError('Forgetful.forgotten has no rule'));
  });
});
