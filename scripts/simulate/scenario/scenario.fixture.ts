import { readScenarios } from './read-scenarios.ts';
import type { Scenario } from './scenario.ts';

/** The scenario of a command line. */
export function scenarioOf(commandLine: string): Scenario {
  const [{ scenario } = {}] = readScenarios(commandLine.split(' ')).scenarios;
  if (scenario === undefined) throw new Error('the command line asks for no scenario');
  return scenario;
}
