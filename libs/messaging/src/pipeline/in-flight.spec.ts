import { describe, expect, it } from '@jest/globals';

import { commandOf } from '../command/command.fixture.ts';
import { InFlight } from './in-flight.ts';

const player = () => commandOf();
const report = () => commandOf({ properties: { type: 'report.rake.fetch' } });

describe('InFlight', () => {
  it('tells the oldest command of each lane, in whatever order they end', () => {
    const inFlight = new InFlight();
    const [first, second, third] = [player(), report(), player()];
    const [firstKey = 0, secondKey = 0, thirdKey = 0] = [first, second, third].map((command) =>
      inFlight.add(command),
    );
    const oldest = () => [inFlight.oldest('interactive'), inFlight.oldest('reports')];
    expect(oldest()).toEqual([first, second]);
    inFlight.remove(firstKey);
    expect(oldest()).toEqual([third, second]);
    inFlight.remove(secondKey);
    inFlight.remove(thirdKey);
    expect(oldest()).toEqual([undefined, undefined]);
  });
});
