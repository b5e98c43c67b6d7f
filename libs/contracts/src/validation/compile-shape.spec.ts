import { expect, it } from '@jest/globals';
import { IsString, registerDecorator, ValidateNested } from 'class-validator';

import { compileShape } from './compile-shape.ts';

const waits = (target: object, propertyName: string) =>
  registerDecorator({
    target: target.constructor,
    propertyName,
    name: 'waits',
    async: true,
    validator: { validate: async () => true },
  });

// ../commands/validate-command.spec.ts tests inherited rules and the order of rules.
it.each([
  ['each', IsString({ each: true })],
  ['a message that is a function', IsString({ message: () => 'odd' })],
  ['a nested object of no named class', ValidateNested()],
  ['a promise as its answer', waits],
])('compileShape rejects a rule with %s', (_name, decorate) => {
  class Odd {
    readonly member!: string;
  }
  decorate(Odd.prototype, 'member');
  expect(() => compileShape(Odd)).toThrow(new TypeError('Odd.member has a rule that cannot be compiled'));
});
