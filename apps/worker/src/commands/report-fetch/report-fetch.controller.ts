import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';

import { AdHocReportFetch, RakeReportFetch, type ReplyTo } from '#contracts';
import { CommandContext } from '#messaging';
import { PlatformClients } from '#platform';

import { clientOf } from '../client-of.ts';
import { REPORT_SETTINGS, type ReportSettings } from './report-settings.ts';
import { readReport } from './read-report.ts';

/** `report.ad-hoc.fetch` and `report.rake.fetch`: a report page by page, each published as it is read. */
@Controller()
export class ReportFetchController {
  readonly #platform: PlatformClients;
  readonly #settings: ReportSettings;

  constructor(platform: PlatformClients, @Inject(REPORT_SETTINGS) settings: ReportSettings) {
    this.#platform = platform;
    this.#settings = settings;
  }

  @MessagePattern('report.ad-hoc.fetch')
  adHoc(
    @Payload() data: AdHocReportFetch,
    @Ctx() command: CommandContext,
  ): AsyncIterable<ReplyTo<'report.ad-hoc.fetch'>> {
    const client = clientOf(this.#platform, command);
    return readReport('ad-hoc', data, command, this.#settings, (page) =>
      client.fetchAdHocReport(data, page, command),
    );
  }

  @MessagePattern('report.rake.fetch')
  rake(
    @Payload() data: RakeReportFetch,
    @Ctx() command: CommandContext,
  ): AsyncIterable<ReplyTo<'report.rake.fetch'>> {
    const client = clientOf(this.#platform, command);
    return readReport('rake', data, command, this.#settings, (page) => client.fetchRake(data, page, command));
  }
}
