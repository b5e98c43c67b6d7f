import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';

import { rulesOf } from './rules-of.ts';

describe('rulesOf', () => {
  it('has the rules of each member, those of the base class among them', () => {
    class Base {
      @IsString()
      readonly inherited!: string;
    }
    class Derived extends Base {
      @IsString()
      readonly own?: string;
    }
    const rules = rulesOf(Derived);
    expect([...rules].map(([name, own]) => [name, own.length]).toSorted()).toEqual([
      ['inherited', 1],
      ['own', 1],
    ]);
  });

  it('refuses a member that has none: it would not be validated or documented', () => {
    class Forgetful {
      @IsString()
      readonly named!: string;

      readonly forgotten?: string;
    }
    expect(() => rulesOf(Forgetful)).toThrow(new TypeError('Forgetful.forgotten has no rule'));
  });
});
