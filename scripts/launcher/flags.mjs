/**
 * V8's compiler Maglev is off: Node.js can hang at its exit while Maglev works (nodejs/node#54918), and a
 * worker's code would be compiled a second time soon after.
 */
export const NO_MAGLEV = '--no-maglev';
export const FLAGS = ['--disable-warning=ExperimentalWarning', NO_MAGLEV];
