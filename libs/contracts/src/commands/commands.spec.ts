import { expect, it } from '@jest/globals';
import { IsString } from 'class-validator';

import { compileShape } from '../validation/compile-shape.ts';
import { repliesTo } from './commands.ts';
import { gameOpen } from './game-open.ts';

it('a member of a command or a reply without a rule is refused: it would not be validated or documented', () => {
  class Forgetful {
    @IsString()
    readonly named!: string;

    readonly forgotten?: string;
  }
  const refusal = new TypeError('Forgetful.forgotten has no rule');
  expect(() => compileShape(Forgetful)).toThrow(refusal);
  const replies = [{ ...gameOpen.replies[0]!, data: Forgetful, announced: [] }];
  expect(() => repliesTo([{ ...gameOpen, replies }])).toThrow(refusal);
});
