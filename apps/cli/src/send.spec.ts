import { describe, expect, it } from '@jest/globals';

import { COMMANDS, validateCommand } from '#contracts/validation';

import { sendHelp } from './send.ts';

describe('sendHelp', () => {
  const help = sendHelp();

  it.each(COMMANDS)('names $type, its purpose, and valid data', ({ type, summary }) => {
    const [line = ''] = help.split('\n').filter((text) => text.startsWith(`  ${type} `));
    expect(line.slice(type.length + 2).trim()).toBe(summary);
    const [, example = ''] = help.split(`$ poker-bridge send ${type} `);
    const [, data = ''] = /^[\s\\]*--data '([^']+)'/.exec(example) ?? [];
    expect(() => validateCommand(type, JSON.parse(data))).not.toThrow();
  });
});
