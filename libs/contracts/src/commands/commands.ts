import { gameOpen } from './game-open.ts';
import { reportAdHocFetch } from './report-ad-hoc-fetch.ts';
import { reportRakeFetch } from './report-rake-fetch.ts';
import { sessionCreate } from './session-create.ts';

/** Every command. A new one is a file and a line here; other code that needs to know it does not compile without it. */
export const COMMANDS = [sessionCreate, gameOpen, reportAdHocFetch, reportRakeFetch] as const;

type Command = (typeof COMMANDS)[number];

/** The data of each command by its type. */
export type CommandData = { [C in Command as C['type']]: InstanceType<C['data']> };
