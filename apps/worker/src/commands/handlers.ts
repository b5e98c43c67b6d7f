import { Catch, type RpcExceptionFilter, type Type } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

import type { CommandType } from '#contracts';

import { GameOpenController } from './game-open/game-open.controller.ts';
import { ReportFetchController } from './report-fetch/report-fetch.controller.ts';
import { SessionCreateController } from './session-create/session-create.controller.ts';

/** The controller of each command. A command without a controller is a compile error. */
export const HANDLERS: Readonly<Record<CommandType, Type>> = {
  'session.create': SessionCreateController,
  'game.open': GameOpenController,
  'report.ad-hoc.fetch': ReportFetchController,
  'report.rake.fetch': ReportFetchController,
};

/**
 * Passes errors thrown by handlers to the pipeline unchanged; Nest would replace them with a generic error.
 */
@Catch()
export class PassErrorsFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
