import { formatted } from '../contract-files.ts';
import { pythonContract } from './python-contract.ts';
import { pythonMessages } from './python-messages.ts';

const FOLDER = 'libs/caller-python/src/poker_bridge';

/** What the Python client knows of the contract: path in the repository, and text. */
export async function pythonFiles(): Promise<ReadonlyMap<string, string>> {
  const contract = `${FOLDER}/contract.json`;
  return new Map([
    [contract, await formatted(contract, JSON.stringify(pythonContract()))],
    [`${FOLDER}/messages.py`, pythonMessages()],
  ]);
}
