import { describe, expect, it } from '@jest/globals';
import { IsDefined, IsIn, IsString, MaxLength, registerDecorator, ValidateNested } from 'class-validator';

import { compileShape, rulesOf } from './compile-shape.ts';

class Parent {
  @IsString({ message: 'must be a string' })
  readonly name!: string;
}

class Outer extends Parent {
  @IsDefined({ message: 'must be given' })
  @MaxLength(3, { message: ({ property, constraints }) => `${property} is over ${constraints[0]}` })
  @IsIn(['a', 'four'], { message: 'must be a or four' })
  readonly word!: string;
}

const waits = (target: object, propertyName: string) =>
  registerDecorator({
    target: target.constructor,
    propertyName,
    name: 'waits',
    async: true,
    validator: { validate: async () => true },
  });

describe('compileShape', () => {
  const { members } = compileShape(Outer);
  const faultIn = (name: string, values: object) =>
    members.get(name)?.faultIn(Object.assign(new Outer(), values));

  it('reports the first broken rule: presence first, then upwards from the member', () => {
    expect(faultIn('word', {})).toBe('must be given');
    expect(faultIn('word', { word: 'long' })).toBe('must be a or four');
    expect(faultIn('word', { word: 'four' })).toBe('word is over 3');
    expect(faultIn('word', { word: 'a' })).toBeUndefined();
    expect(faultIn('name', { name: 5 })).toBe('must be a string');
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
