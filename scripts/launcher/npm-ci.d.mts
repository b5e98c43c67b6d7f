/** A search path without the programs of packages, which `npm run` puts first: one of them is another Node.js. */
export function withoutPackages(path?: string): string;
