import type { Command } from 'commander';

import { COMMAND_TYPES } from '#contracts';

const SHELLS = ['bash', 'zsh'] as const;
export type Shell = (typeof SHELLS)[number];

export function isShell(text: string): text is Shell {
  return SHELLS.some((shell) => shell === text);
}

/** The script that makes a shell complete subcommands, options and types; zsh runs that of bash. */
export function completionScript(program: Command, shell: Shell): string {
  const levels = levelsOf(program);
  const paths = levels.map(({ path }) => path).filter(Boolean);
  const cases = levels.map(({ path, words }) => `    '${path}') words='${words.join(' ')}' ;;`);
  return `${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}_poker_bridge() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${paths.map((path) => `'${path}'`).join('|')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _poker_bridge poker-bridge
`;
}

/** What may follow a subcommand; its path begins with a blank. */
interface Level {
  readonly path: string;
  readonly words: readonly string[];
}

function levelsOf(command: Command, path = ''): Level[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  const names = command.commands.map((sub) => sub.name());
  const types = command.registeredArguments.some((argument) => argument.name() === 'TYPE')
    ? COMMAND_TYPES
    : [];
  return [
    { path, words: [...names, ...types, ...options, '--help'] },
    ...command.commands.flatMap((sub) => levelsOf(sub, `${path} ${sub.name()}`)),
  ];
}
