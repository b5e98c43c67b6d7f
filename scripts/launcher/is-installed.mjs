/**
 * Whether npm's record of `node_modules` (`node_modules/.package-lock.json`) holds every package of the lock file
 * at its version, so that a person's own `npm ci` or `npm install` is not repeated.
 *
 * @param {string} lockText `package-lock.json`
 * @param {string | undefined} installedText npm's record; undefined if there is none
 * @param {{os: string, cpu: string}} [machine] which optional packages belong here
 * @returns {boolean}
 */
export function isInstalled(lockText, installedText, machine = { os: process.platform, cpu: process.arch }) {
  if (installedText === undefined) return false;
  let installed;
  try {
    installed = JSON.parse(installedText).packages ?? {};
  } catch {
    return false;
  }
  return Object.entries(JSON.parse(lockText).packages).every(([path, wanted]) => {
    if (!path.startsWith('node_modules/') && !path.includes('/node_modules/')) return true;
    const found = installed[path];
    if (found === undefined) return wanted.optional === true && !isForMachine(wanted, machine);
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

/**
 * Whether an optional package was made for this machine. One that names no platform may be missing (it belongs to
 * another platform's), and of a pair that differs in libc alone npm installs one, which cannot be told from here.
 */
function isForMachine({ os, cpu, libc }, machine) {
  return (
    libc === undefined && [os ?? []].flat().includes(machine.os) && [cpu ?? []].flat().includes(machine.cpu)
  );
}
