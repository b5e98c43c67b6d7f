import { read } from '../docs/markdown.ts';

interface Instruction {
  readonly name: string;
  readonly value: string;
}

/** The stages of a Dockerfile that has one instruction per line. */
export function readDockerfile(path: string) {
  const lines = read(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const stages: { name: string; from: string; instructions: Instruction[] }[] = [];
  for (const line of lines) {
    const [, name = '', value = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    const [, from, stage] = /^(\S+) AS (\S+)$/.exec(value) ?? [];
    if (name === 'FROM') stages.push({ name: stage ?? '', from: from ?? value, instructions: [] });
    else stages.at(-1)?.instructions.push({ name, value });
  }
  return stages;
}

/** The instructions of a stage, after those of its base stages. */
export function inherited(stages: ReturnType<typeof readDockerfile>, name: string): readonly Instruction[] {
  const stage = stages.find((candidate) => candidate.name === name);
  return stage === undefined ? [] : [...inherited(stages, stage.from), ...stage.instructions];
}

export function valuesOf(instructions: readonly Instruction[], name: string): readonly string[] {
  return instructions.filter((instruction) => instruction.name === name).map(({ value }) => value);
}
