import { expect, it } from '@jest/globals';

import { OPTIONS } from '../../scripts/simulate/scenario/options.ts';
import { read, tablesWith } from './markdown.ts';

it('docs/scaling.md lists every option of the simulator as --help does', () => {
  const [table] = tablesWith(read('docs/scaling.md'), 'Option');
  const expected = Object.entries(OPTIONS).map(([name, option]) => [
    `\`--${name}\``,
    'default' in option ? `\`${option.default}\`` : 'none',
    option.help,
  ]);
  expect(table?.rows).toEqual(expected);
});
