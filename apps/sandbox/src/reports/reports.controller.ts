import { Controller, Get, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import { Settings } from '../settings/settings.ts';
import { VerifiedCall, type Call, type SandboxRequest } from '../traffic/exchange.ts';
import { SignatureGuard } from '../traffic/signature.guard.ts';
import type { Sequence } from './population.ts';
import { readPage } from './report-faults.ts';
import { readPagination, readRakeQuery, readReportQuery } from './report-query.ts';
import { Reports, type Resource } from './reports.ts';

type Link = 'self' | 'first' | 'last';

/** The two reports (interface document, endpoints 3 and 4). */
@Controller('api/web/v2/app')
@UseGuards(SignatureGuard)
export class ReportsController {
  constructor(
    private readonly settings: Settings,
    private readonly reports: Reports,
  ) {}

  @Post('reports/ad_hoc')
  @HttpCode(200)
  adHoc(@VerifiedCall() call: Call, @Req() { originalUrl }: SandboxRequest) {
    const report = this.reports.adHoc(call.client.id, readReportQuery(call.content));
    return this.pageOf(report, call, originalUrl, ['self']);
  }

  @Get('users/rake')
  rake(@VerifiedCall() call: Call, @Req() { originalUrl }: SandboxRequest) {
    const { client, query, content } = call;
    const { rakeParametersIn: place } = client.conventions;
    const { isLenient } = this.settings;
    const parameters = isLenient || place === 'form' ? content : query;
    // A platform that reads some of them in each place finds none of its own in the other.
    const isElsewhere = !isLenient && place === 'both' && content['dateFrom'] !== query['dateFrom'];
    const report = this.reports.rake(client.id, readRakeQuery(isElsewhere ? {} : parameters, query));
    return this.pageOf(report, call, originalUrl, ['self', 'first', 'last']);
  }

  private pageOf(report: Sequence<Resource>, { query, fault }: Call, url: string, linked: readonly Link[]) {
    const { data, meta } = readPage(
      readPagination(query, this.settings.reports),
      fault,
      report,
      this.settings.profile === 'real',
    );
    const numbers = { self: meta['current-page'], first: 1, last: Math.max(1, meta['page-count']) };
    const links = linked.map((name) => {
      const link = new URL(url, this.settings.publicUrl);
      link.searchParams.set('page', String(numbers[name]));
      link.searchParams.set('per-page', String(meta['per-page']));
      return [name, { href: link.href }] as const;
    });
    return { data, links: Object.fromEntries(links), meta };
  }
}
