import { describe, expect, it } from '@jest/globals';
import type { Command } from 'commander';

import { EXIT } from '../../../apps/cli/src/exit.ts';
import { createProgram } from '../../../apps/cli/src/program.ts';
import { code, codeSpansOf, fencesOf, read, tablesWith } from '../../docs/markdown.ts';
import { runCli } from './run-cli.ts';

const text = read('docs/command-line.md');

/** Every subcommand with an action, by its heading in the document. */
function subcommandsOf(command: Command, name = ''): [string, Command][] {
  return command.commands.flatMap((sub): [string, Command][] => {
    const path = [name, sub.name()].filter(Boolean).join(' ');
    const nested = subcommandsOf(sub, path);
    const heading = [path, ...sub.registeredArguments.map((argument) => argument.name())].join(' ');
    return nested.length > 0 ? nested : [[heading, sub]];
  });
}

const subcommands = subcommandsOf(await createProgram());
const sections = new Map(text.split(/^## /m).map((section) => [section.split('\n', 1)[0], section]));

/** The paragraph of a section that lists its options. */
const optionsIn = (heading: string): string =>
  /\nOptions: (.+?)(?:\n\n|$)/s.exec(sections.get(heading) ?? '')?.[1] ?? '';
const ownOptions = (heading: string) =>
  codeSpansOf(optionsIn(heading)).filter((span) => span.startsWith('--'));

/** The options of a section, and of the sections to which it links. */
function documentedOptions(heading: string): string[] {
  const others = [...optionsIn(heading).matchAll(/\[([a-z -]+)\]\(#/g)];
  return [...ownOptions(heading), ...others.flatMap(([, other = '']) => documentedOptions(other))];
}

describe('docs/command-line.md', () => {
  it('lists the exit codes', () => {
    const documented = tablesWith(text, 'Code').flatMap(({ rows }) => rows.map(([cell]) => code(cell)));
    expect(documented.map(Number)).toEqual(Object.values(EXIT).toSorted((one, other) => one - other));
  });

  it('has a section for each subcommand', () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings).toEqual(subcommands.map(([heading]) => heading));
  });

  it.each(subcommands)('lists the options of %s, its own or by a reference', (heading, subcommand) => {
    const options = subcommand.options.map(({ flags, long }) => (flags.includes('<') ? flags : long));
    expect(documentedOptions(heading)).toEqual(expect.arrayContaining(options));
    expect(options).toEqual(expect.arrayContaining(ownOptions(heading)));
  });

  it('shows the output of sign explain for the documented request', async () => {
    const fences = fencesOf(text).filter(({ heading }) => heading.startsWith('sign explain'));
    const [request = '', shown = ''] = fences.map((fence) => fence.text);
    const { stdout } = await runCli(['sign', 'explain', '-'], { input: request });
    // An ellipsis marks an omission.
    let at = 0;
    for (const piece of shown.slice(shown.indexOf('\n') + 1).split(/ *…\n?/)) {
      expect(stdout.slice(at)).toContain(piece);
      at = stdout.indexOf(piece, at) + piece.length;
    }
  });
});
