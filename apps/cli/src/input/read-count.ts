import { InvalidArgumentError } from 'commander';

/** Reads an option that is an integer between two. */
export function readCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be an integer from ${least} to ${most}.`);
  };
}
