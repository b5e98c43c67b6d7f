import { Catch, type RpcExceptionFilter, type Type } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

import type { CommandType } from '#contracts';

import { GameOpenController } from './game-open/game-open.controller.ts';
import { ReportFetchController } from './report-fetch/report-fetch.controller.ts';
import { SessionCreateController } from './session-create/session-create.controller.ts';

/** Which controller handles each command; a command without one does not compile. */
export const HANDLERS: Readonly<Record<CommandType, Type>> = {
  'session.create': SessionCreateController,
  'game.open': GameOpenController,
  'report.ad-hoc.fetch': ReportFetchController,
  'report.rake.fetch': ReportFetchController,
};

/** Passes what a handler threw to the pipeline unchanged; Nest would replace it by a generic error. */
@Catch()
export class PassErrorsFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
