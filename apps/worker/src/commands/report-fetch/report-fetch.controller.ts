import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import type { ReplyTo } from '#contracts';
import { AdHocReportFetch, RakeReportFetch } from '#contracts/validation';
import { CommandContext } from '#messaging';
import type { PlatformClient } from '#platform';

import { readReport } from './read-report.ts';

/** Injects the setting of this name. */
export const REPORTS_PER_PAGE = Symbol('REPORTS_PER_PAGE');

/** `report.ad-hoc.fetch` and `report.rake.fetch`: a report page by page, each published as it is read. */
@Controller()
export class ReportFetchController {
  constructor(@Inject(REPORTS_PER_PAGE) private readonly perPage: number) {}

  @MessagePattern('report.ad-hoc.fetch')
  adHoc(
    @Payload() data: AdHocReportFetch,
    @Ctx() command: CommandContext<PlatformClient>,
  ): AsyncIterable<ReplyTo<'report.ad-hoc.fetch'>> {
    return readReport('ad-hoc', data, command, this.perPage, (page) =>
      command.client.fetchAdHocReport(data, page, command),
    );
  }

  @MessagePattern('report.rake.fetch')
  rake(
    @Payload() data: RakeReportFetch,
    @Ctx() command: CommandContext<PlatformClient>,
  ): AsyncIterable<ReplyTo<'report.rake.fetch'>> {
    return readReport('rake', data, command, this.perPage, (page) =>
      command.client.fetchRake(data, page, command),
    );
  }
}
